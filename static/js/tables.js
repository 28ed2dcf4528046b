// Tables with data-table: a press on a head sorts the rows, and below are buttons that copy the table as CSV or Markdown.

import { copyText } from "./clipboard.js";

const plain = (text) => text.replace(/\s+/g, " ").trim();
// Words and tokens keep their spaces.
function textOf(cell) {
  const words = [...cell.querySelectorAll(".word, .gap, .tok")];
  return words.length ? words.map((word) => word.textContent).join(" ") : plain(cell.textContent);
}
const rowsOf = (table) => [...table.rows].map((row) => [...row.cells].map(textOf));
const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const escape = (text) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\n", "\\n");
const formats = {
  CSV: (rows) => rows.map((row) => row.map(quote).join(",")).join("\r\n"),
  Markdown: ([head, ...rows]) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((text) => escape(text)).join(" | ")} |`).join("\n"),
};
const figure = (text) => (/^[<>]?\s*[-–−+]?[\d.,]+/.test(text) ? Number.parseFloat(text.replace(/[<>,\s+]/g, "").replace(/[–−]/, "-")) : NaN);

function enhance(table) {
  if (table.matches("[data-enhanced]")) return;
  table.dataset.enhanced = "";
  const sorts = table.tBodies[0].rows.length > 1 && table.dataset.table !== "copy";
  for (const head of sorts ? table.tHead.rows[0].cells : []) {
    if (head.querySelector("a, button, .hidden")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorts";
    button.append(...head.childNodes);
    head.append(button);
  }
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
  (table.closest(".scroll") ?? table).after(tools);
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
  const keyed = [...body.rows].map((row) => [figure(textOf(row.cells[at])), textOf(row.cells[at]), row]);
  keyed.sort((a, b) => compare(a, b, falls ? -1 : 1));
  body.append(...keyed.map(([, , row]) => row));
}

const begin = () => document.querySelectorAll("table[data-table]").forEach(enhance);
document.addEventListener("click", async ({ target }) => {
  if (target.closest(".sorts")) return sort(target.closest("th"));
  const button = target.closest("[data-copy-table]");
  if (!button) return;
  const above = button.parentElement.previousElementSibling;
  const rows = rowsOf(above.matches("table") ? above : above.querySelector("table"));
  await copyText(formats[button.dataset.copyTable](rows), "");
  button.parentElement.querySelector("[role=status]").textContent = `Copied, ${(rows.length - 1).toLocaleString("en")} rows.`;
});
document.addEventListener("htmx:after:swap", begin);
begin();
