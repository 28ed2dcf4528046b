// Change the whole text so that the change can be undone, with Ctrl-Z or with the button #undo: an example or Clear takes
// nothing away for good.

import { tokenize } from "./typing.js";

const field = () => document.getElementById("text");
const undo = document.getElementById("undo");
let before = "";

function write(text) {
  field().focus();
  field().select();
  // The browser keeps a history of what is edited so, unlike of a value that is set.
  const edited = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (edited || field().value === text) return;
  field().value = text;
  tokenize();
}

export function replaceText(text) {
  before = field().value;
  write(text);
  if (undo) undo.hidden = !before || before === text;
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("#clear")) replaceText("");
  if (!target.closest("#undo")) return;
  undo.hidden = true;
  write(before);
});
