// Change the whole text so that the change can be undone, with Ctrl-Z or with the button #undo: an example or Clear takes
// nothing away for good.

const field = () => document.getElementById("text");
const undo = document.getElementById("undo");
let before = "";

function write(text) {
  field().focus();
  field().select();
  // The browser keeps a history of what is edited so, unlike of a value that is set; it tells each line by itself.
  const hold = (event) => event.stopImmediatePropagation();
  field().addEventListener("input", hold, { capture: true });
  if (text) document.execCommand("insertText", false, text);
  else document.execCommand("delete");
  field().removeEventListener("input", hold, { capture: true });
  if (field().value !== text) field().value = text;
  field().dispatchEvent(new Event("input", { bubbles: true }));
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
