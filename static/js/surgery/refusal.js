// An error stands beside the field that caused it, until that is changed; a preview is dimmed once the form was changed.

import { clear, fieldOf, place } from "../refusals.js";

const form = document.getElementById("lab");
const fields = { texts: "text", corpora: "text", language: "text", title: "name", special: "tokenizer" };

function show() {
  const problem = document.querySelector("#refusal .problem[data-pointer], #preview .problem[data-pointer]");
  const name = problem?.dataset.pointer.split("/")[1];
  const field = problem && fieldOf(fields[name] ?? name);
  if (!field) return;
  place(problem, field);
  field.focus();
}

form.addEventListener("htmx:before:request", clear);
form.addEventListener("input", ({ target }) => {
  if (target.matches("[aria-invalid]")) clear();
  document.getElementById("preview").setAttribute("data-stale", "");
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.target.id === "preview") detail.ctx.target.removeAttribute("data-stale");
  show();
});
show();
