// Tokens are marked, with their box, Space (keyboard.js) or the button of the inspector, to be compared side by side or
// exported. The address of the list keeps them.

import { list } from "./rows.js";

const tray = document.getElementById("marked");
const marked = new Set((new URLSearchParams(location.search).get("marked") ?? "").split(",").filter((id) => /^\d+$/.test(id)));
const exports = [...tray.querySelectorAll("[data-format]")].map((link) => [link, link.getAttribute("href")]);

export const markedIds = () => [...marked].join(",");

function paint(root = document) {
  for (const row of root.querySelectorAll(".row[data-id]")) {
    row.classList.toggle("is-marked", marked.has(row.dataset.id));
    row.querySelector("[type=checkbox]").checked = marked.has(row.dataset.id);
  }
  for (const button of root.querySelectorAll("[data-mark]")) button.setAttribute("aria-pressed", marked.has(button.dataset.mark));
}

function show() {
  paint();
  tray.hidden = !marked.size;
  tray.elements.ids.value = markedIds();
  tray.querySelector("output").textContent = marked.size;
  tray.querySelector(".marked-ids").textContent = [...marked].slice(0, 8).join(" ") + (marked.size > 8 ? " …" : "");
  const compare = tray.querySelector("[data-most]");
  compare.disabled = marked.size > Number(compare.dataset.most);
  compare.title = compare.disabled ? `At most ${compare.dataset.most} tokens are compared.` : "";
  for (const [link, begin] of exports) link.href = begin + markedIds();
  document.dispatchEvent(new Event("marked"));
}

export function mark(id) {
  if (!marked.delete(id)) marked.add(id);
  document.getElementById("said").textContent = `Token ${id} ${marked.has(id) ? "marked" : "unmarked"}, ${marked.size} in all.`;
  show();
}

document.addEventListener("change", ({ target }) => {
  if (target.matches(".tickcell input")) mark(target.closest(".row").dataset.id);
});
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-unmark]")) marked.clear(), show();
  const button = target.closest("[data-mark]");
  if (button) mark(button.dataset.mark);
});
for (const event of ["filled", "htmx:after:swap"]) document.addEventListener(event, ({ target }) => paint(target.querySelectorAll ? target : document));
if (list()) show();
