// A published pattern, or an example of a difference, fills in the form; the one that stands in the field is pressed.

import { tokenize } from "../typing.js";

const form = document.getElementById("lab");

const fieldOf = (button) => form.elements[button.name === "second" ? "other" : "pattern"];

function mark() {
  for (const button of form.querySelectorAll("[aria-pressed][data-pattern]")) {
    button.setAttribute("aria-pressed", String(button.dataset.pattern === fieldOf(button).value));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-pattern]");
  if (!button) return;
  event.preventDefault();
  fieldOf(button).value = button.dataset.pattern;
  if (button.name === "preset") form.elements.dialect.value = button.dataset.dialect;
  if ("text" in button.dataset) form.elements.text.value = button.dataset.text;
  mark();
  tokenize();
});
form.addEventListener("input", mark);
form.addEventListener("restored", mark);
