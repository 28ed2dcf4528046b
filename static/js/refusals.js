// What the server refuses stands beside the field that caused it until the next answer, and the result before it stays.

const form = document.getElementById("lab");

export function fieldOf(name) {
  const found = form.elements.namedItem(name);
  const field = found instanceof RadioNodeList ? found[0] : found;
  return field?.matches(".picker-list") ? field.closest("[data-picker]").querySelector(".picker-field") : field;
}

export function clear() {
  for (const one of form.querySelectorAll("[aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    one.removeAttribute("aria-errormessage");
  }
  form.querySelectorAll(".problem.beside").forEach((one) => one.remove());
}

export function place(problem, field) {
  clear();
  problem.id = "cause";
  problem.classList.add("beside");
  (field.closest("fieldset, label, [data-picker]") ?? field).after(problem);
  for (let one = field.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", "cause");
  field.dispatchEvent(new CustomEvent("refused", { bubbles: true, detail: problem.querySelector("p").textContent.trim() }));
}

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = event.detail;
  if (ctx.target?.id !== "result") return;
  clear();
  const problem = tasks[0]?.fragment?.firstElementChild;
  const field = problem?.matches(".problem[data-pointer]") && fieldOf(problem.dataset.pointer.split("/")[1]);
  if (!field || field.type === "hidden") return;
  event.preventDefault();
  ctx.target.toggleAttribute("data-stale", field.name === "text"); // of other options it is still a result
  place(problem, field);
});
