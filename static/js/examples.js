// An example fills the text area.

import { replaceText } from "./editing.js";
import { removeFile } from "./files.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=example]");
  if (!button) return;
  event.preventDefault();
  removeFile();
  replaceText(button.dataset.text);
});
