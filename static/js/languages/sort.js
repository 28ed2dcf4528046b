// Sort the table in place: its heads are links that do the same without a script. Figures begin with the largest.

import { remember } from "./address.js";
import { filed } from "./filed.js";

const form = document.getElementById("lab");
const figure = (text) => Number.parseFloat(text.replaceAll(",", ""));
const text = (row, at) => filed(row.cells[at].textContent);

function falling(head) {
  const now = head.getAttribute("aria-sort");
  return now ? now === "ascending" : head.classList.contains("number");
}

function order(rows, at, isFigure, down) {
  const way = down ? -1 : 1;
  const keyed = rows.map((row) => [isFigure ? figure(text(row, at)) : text(row, at), text(row, 0), row]);
  keyed.sort(([a, name], [b, other]) => {
    if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return way * ((a > b) - (a < b)) || (name > other) - (name < other);
  });
  return keyed.map(([, , row]) => row);
}

function sort(link) {
  const head = link.closest("th");
  const down = falling(head);
  const table = head.closest("table");
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  body.replaceChildren(...order([...body.rows], head.cellIndex, head.classList.contains("number"), down));
  form.elements.sort.value = link.dataset.sort;
  form.elements.order.value = down ? "falling" : "rising";
  document.getElementById("said").textContent = `Sorted by ${link.textContent.toLowerCase()}, ${down ? "falling" : "rising"}.`;
  remember();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-sort]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  sort(link);
});
