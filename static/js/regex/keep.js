// The words on the page become a test of the pattern.

import { tokenize } from "../typing.js";

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-add-test]");
  if (!button) return;
  const field = document.getElementById("tests");
  const lines = field.value.split("\n").filter(Boolean);
  if (!lines.includes(button.dataset.addTest)) lines.push(button.dataset.addTest);
  field.value = lines.join("\n");
  field.closest("details").open = true;
  tokenize();
});
