// An example fills the text area.

import { removeFile } from "./files.js";
import { tokenize } from "./typing.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=example]");
  if (!button) return;
  event.preventDefault();
  removeFile();
  document.getElementById("text").value = button.dataset.text;
  tokenize();
});
