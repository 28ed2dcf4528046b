// Narrows the table while one types: by script, and by words of a name or a code. All rows are on the page already.

import { remember } from "./address.js";

const filters = document.getElementById("filters");
const script = document.getElementById("script");
const seek = document.getElementById("seek");

function narrow() {
  const words = seek.value.toLowerCase().split(/\s+/);
  const table = document.getElementById("atlas");
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const [name, code, own] = [0, 1, 2].map((at) => row.cells[at].textContent);
    const told = `${name} ${code}`.toLowerCase();
    row.hidden = !(["", own].includes(script.value) && words.every((word) => told.includes(word)));
    shown += !row.hidden;
  }
  document.getElementById("shown").textContent = shown.toLocaleString("en");
  table.parentElement.querySelector(".none").hidden = shown > 0;
  document.getElementById("said").textContent = `${shown} ${shown === 1 ? "version" : "versions"} shown.`;
  remember();
}

filters?.addEventListener("input", narrow);
filters?.addEventListener("change", (event) => event.stopPropagation());
seek?.addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
