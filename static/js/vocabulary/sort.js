// The heads of the list sort it, the filters in use are counted, and ↓ in the search field goes on to the list.

import { list } from "./rows.js";

const form = document.getElementById("lab");
const NAMES = ["match", "script", "kind", "class", "space", "shortest", "longest", "descending", "ignore_case", "sort"];
const DEFAULTS = { match: "contains", sort: "id", shortest: "0" };

function count() {
  const data = new FormData(form);
  const used = NAMES.filter((name) => data.get(name) && data.get(name) !== DEFAULTS[name]).length;
  document.getElementById("filters").textContent = used ? `(${used})` : "";
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-sort]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  form.elements.sort.value = link.dataset.sort;
  form.elements.descending.checked = "falls" in link.dataset;
  form.requestSubmit();
});
form.elements.q.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" || !list()) return;
  event.preventDefault();
  list().focus();
});
// What was typed has been searched for by then.
form.elements.q.addEventListener("change", (event) => event.stopPropagation());
form.addEventListener("change", count);
document.addEventListener("htmx:after:swap", count);
count();
