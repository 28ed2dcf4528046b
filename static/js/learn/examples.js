// A text that breaks the idea, or the first one again, takes the place of the text; a new text begins at its first step.

import { tokenize } from "../typing.js";

document.getElementById("text").addEventListener("input", () => {
  const step = document.getElementById("at"); // a text that was refused has none
  if (step) step.value = 0;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=example]");
  if (!button) return;
  event.preventDefault();
  const field = document.getElementById("text");
  field.value = button.dataset.text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  tokenize();
});
