// A published pattern, or an example of a difference, fills in the form.

import { tokenize } from "../typing.js";

const form = document.getElementById("lab");

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-pattern]");
  if (!button) return;
  event.preventDefault();
  form.elements[button.name === "second" ? "other" : "pattern"].value = button.dataset.pattern;
  if (button.name === "preset") form.elements.dialect.value = button.dataset.dialect;
  if ("text" in button.dataset) form.elements.text.value = button.dataset.text;
  tokenize();
});
