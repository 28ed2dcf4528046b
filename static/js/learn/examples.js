// A text that breaks the idea, or the first one again, takes the place of the text.

import { tokenize } from "../typing.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=example]");
  if (!button) return;
  event.preventDefault();
  const field = document.getElementById("text");
  field.value = button.dataset.text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  tokenize();
});
