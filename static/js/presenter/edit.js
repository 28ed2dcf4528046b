// Edit the text of the page on the stage: what is typed is typed into the page, whose slides follow. A text that the page
// refuses is shown with the reason, and left for the one before it, which is still on the slide.

import { presenting } from "./mode.js";
import { overlay } from "./overlay.js";

const fieldOfPage = () => document.querySelector("main textarea#text:not(:disabled)") ?? document.querySelector("main form textarea:not(:disabled, [hidden])");
const HINT = "Edit the text. Escape ends.";
let editor = null;
let accepted = "";

const isRefused = (field) => field.getAttribute("aria-invalid") === "true";

function write(text) {
  const field = fieldOfPage();
  field.value = text;
  field.dataset.edited = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function close() {
  if (!editor) return;
  const field = fieldOfPage();
  editor.remove();
  editor = null;
  if (field && isRefused(field)) return write(accepted);
  // Some forms are sent by a button alone.
  if (field && field.dataset.edited !== undefined && field.form?.id !== "lab") field.form?.requestSubmit();
}

export function edit() {
  const field = fieldOfPage();
  if (!field || editor) return false;
  if (!isRefused(field)) accepted = field.value;
  editor = overlay("editor", (box) => {
    const text = document.createElement("textarea");
    text.value = field.value;
    text.setAttribute("aria-label", "Text of the page");
    text.spellcheck = false;
    text.dir = "auto";
    text.addEventListener("input", () => {
      box.firstElementChild.textContent = HINT;
      write(text.value);
    });
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      close();
    });
    box.append(Object.assign(document.createElement("p"), { textContent: HINT }), text);
  });
  editor.querySelector("textarea").focus();
  return true;
}

document.addEventListener("presented", () => presenting() || close());
document.addEventListener("refused", ({ target, detail }) => {
  if (!presenting() || target !== fieldOfPage()) return;
  edit();
  editor.firstElementChild.textContent = `${detail} Escape goes back to the text before.`;
});
