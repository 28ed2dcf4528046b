// Edit the text of the page on the stage: what is typed is typed into the page, whose slides follow.

import { presenting } from "./mode.js";
import { overlay } from "./overlay.js";

const fieldOfPage = () => document.querySelector("main textarea#text:not(:disabled)") ?? document.querySelector("main form textarea:not(:disabled, [hidden])");
let editor = null;

function close() {
  if (!editor) return;
  const field = fieldOfPage();
  editor.remove();
  editor = null;
  // Some forms are sent by a button alone.
  if (field && field.dataset.edited !== undefined && field.form?.id !== "lab") field.form?.requestSubmit();
}

export function edit() {
  const field = fieldOfPage();
  if (!field || editor) return false;
  editor = overlay("editor", (box) => {
    const text = document.createElement("textarea");
    text.value = field.value;
    text.setAttribute("aria-label", "Text of the page");
    text.spellcheck = false;
    text.dir = "auto";
    text.addEventListener("input", () => {
      fieldOfPage().value = text.value;
      fieldOfPage().dataset.edited = "";
      fieldOfPage().dispatchEvent(new Event("input", { bubbles: true }));
    });
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      close();
    });
    box.append(Object.assign(document.createElement("p"), { textContent: "Edit the text. Escape ends." }), text);
  });
  editor.querySelector("textarea").focus();
  return true;
}

document.addEventListener("presented", () => presenting() || close());
