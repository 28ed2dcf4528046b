// An error stands beside the field that caused it, until that is changed; a preview is dimmed once the form was changed.

const form = document.getElementById("lab");
const fields = { texts: "text", corpora: "text", language: "text", title: "name", special: "tokenizer" };

function fieldOf(pointer) {
  const name = pointer.split("/")[1];
  const field = form.elements.namedItem(fields[name] ?? name);
  return field instanceof RadioNodeList ? field[0] : field;
}

function clear() {
  for (const one of form.querySelectorAll("[aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    one.removeAttribute("aria-errormessage");
  }
  form.querySelectorAll(".problem.beside").forEach((one) => one.remove());
}

function place() {
  const problem = document.querySelector("#refusal .problem[data-pointer], #preview .problem[data-pointer]");
  let field = problem && fieldOf(problem.dataset.pointer);
  if (!field) return;
  clear();
  field = field.matches(".picker-list") ? field.closest("[data-picker]").querySelector(".picker-field") : field;
  problem.id = "cause";
  problem.classList.add("beside");
  (field.closest("fieldset, label, .input, [data-picker]") ?? field).after(problem);
  for (let one = field.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", "cause");
  field.focus();
}

form.addEventListener("htmx:before:request", clear);
form.addEventListener("input", ({ target }) => {
  if (target.matches("[aria-invalid]")) clear();
  document.getElementById("preview").setAttribute("data-stale", "");
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.target.id === "preview") detail.ctx.target.removeAttribute("data-stale");
  place();
});
place();
