// An example fills the text area, and chooses its tokenizer where it is of one.

import { replaceText } from "./editing.js";
import { removeFile } from "./files.js";

const optionOf = (id) => [...document.getElementById("tokenizer-list").options].find(({ value }) => value === id);

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=example]");
  if (!button) return;
  event.preventDefault();
  removeFile();
  if (button.dataset.tokenizer) document.getElementById("tokenizer-list").dispatchEvent(new CustomEvent("choose", { detail: optionOf(button.dataset.tokenizer) }));
  replaceText(button.dataset.text);
});
