// Copy the part of a tokenizer.json that a card's lane shows.

import { copyText } from "../clipboard.js";

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy-part]");
  if (!button) return;
  copyText(button.parentElement.querySelector("pre").textContent, "Copied, as it stands in a tokenizer.json.");
});
