// Tables with data-table: a press on a head sorts the rows, and below are buttons that copy the table as CSV or Markdown.

import { copyText } from "./clipboard.js";
import { counted } from "./counted.js";

const SIGN = "↕";
const plain = (text) => text.replace(/\s+/g, " ").trim();
// What is written in a cell, and not what is drawn. Words and tokens keep their spaces.
function textOf(cell) {
  const words = [...cell.querySelectorAll(".word, .gap, .tok")];
  if (words.length) return words.map((word) => word.textContent).join(" ");
  const field = cell.querySelector("input:not([type=hidden])");
  if (field) return field.value;
  const written = cell.cloneNode(true);
  for (const drawn of written.querySelectorAll("svg, audio, .sorts[aria-label], [data-no-slide]")) drawn.remove();
  return plain(written.textContent);
}
// The rows that are shown, without the columns that only draw.
function rowsOf(table) {
  const rows = [...table.rows].filter((row) => !row.hidden && !("aside" in row.dataset)).map((row) => [...row.cells].map(textOf));
  const [head, ...body] = rows;
  const written = head.map((_, at) => body.some((row) => row[at] || row.length !== head.length));
  return rows.map((row) => row.filter((_, at) => written[at] ?? true));
}
// A text that a spreadsheet would take for a formula gets an apostrophe before it, as in app/csv_text.py.
const harmless = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(figure(text)) ? `'${text}` : text);
const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const escape = (text) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\n", "\\n");
const formats = {
  CSV: (rows) => rows.map((row) => row.map(harmless).map(quote).join(",")).join("\r\n"),
  Markdown: ([head, ...rows]) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((text) => escape(text)).join(" | ")} |`).join("\n"),
};
// A day, as 2026-11-22, is no figure: its letters sort it.
function figure(text) {
  const found = /^[<>≤≥≈~×]?\s*([-–−+]?\$?[\d.,]+)(?!\d*-\d\d-)/.exec(text);
  return found ? Number.parseFloat(found[1].replace(/[,$+]/g, "").replace(/[–−]/, "-")) : NaN;
}

const isSorted = (table) => table.dataset.table !== "copy" && table.tBodies.length === 1 && table.tBodies[0].rows.length > 1
  && !table.tBodies[0].querySelector("[rowspan], [colspan]");

function addSort(head) {
  if (head.querySelector(".sorts, .hidden") || !plain(head.textContent)) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "sorts" });
  if (head.querySelector("a, button")) { // a term, which has a click of its own
    button.setAttribute("aria-label", `Sort by ${plain(head.textContent)}`);
    button.textContent = SIGN;
    head.append(" ", button);
  } else {
    button.append(...head.childNodes);
    head.append(button);
  }
}

function addTools(table) {
  const place = table.closest(".scroll") ?? table;
  if (place.nextElementSibling?.matches(".table-tools")) return;
  const tools = document.createElement("p");
  tools.className = "exports table-tools";
  tools.dataset.noSlide = "";
  tools.append("Copy as ");
  for (const name of Object.keys(formats)) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.dataset.copyTable = name;
    tools.append(button);
  }
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  tools.append(said);
  place.after(tools);
}

export function enhance(table) {
  if (isSorted(table)) [...table.tHead.rows[0].cells].forEach(addSort);
  addTools(table);
}

// What is no figure comes last in either order, sorted by its letters.
function compare([a, x], [b, y], way) {
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return way * (Number.isNaN(a) ? (x > y) - (x < y) : a - b);
}

function sort(head) {
  const [table, at] = [head.closest("table"), head.cellIndex];
  const falls = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falls ? "descending" : "ascending");
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [textOf(row.cells[at]), row]).map(([text, row]) => [figure(text), text, row]);
  keyed.sort((a, b) => compare(a, b, falls ? -1 : 1));
  body.append(...keyed.map(([, , row]) => row));
}

const begin = () => document.querySelectorAll("table[data-table]:has(tr)").forEach(enhance);
document.addEventListener("click", async ({ target }) => {
  if (target.closest(".sorts")) return sort(target.closest("th"));
  const button = target.closest("[data-copy-table]");
  if (!button) return;
  const above = button.parentElement.previousElementSibling;
  const rows = rowsOf(above.matches("table") ? above : above.querySelector("table"));
  await copyText(formats[button.dataset.copyTable](rows), "");
  button.parentElement.querySelector("[role=status]").textContent = `Copied, ${counted(rows.length - 1, "row")}.`;
});
document.addEventListener("htmx:after:swap", begin);
begin();
