// Filter the table while one types: by words of a name or a code, by script and by region. All rows are on the page already.

import { remember } from "./address.js";
import { filed } from "./filed.js";

function narrow() {
  const [script, region, seek, table] = ["script", "region", "seek", "atlas"].map((id) => document.getElementById(id));
  const words = filed(seek.value).split(/\s+/);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const [name, code, own] = [0, 1, 2].map((at) => row.cells[at].textContent);
    const text = filed(`${name} ${code}`);
    const inPlace = ["", own].includes(script.value) && ["", row.dataset.in].includes(region.value);
    row.hidden = !(inPlace && words.every((word) => text.includes(word)));
    shown += !row.hidden;
  }
  document.getElementById("shown").textContent = shown.toLocaleString("en");
  table.parentElement.querySelector(".none").hidden = shown > 0;
  document.getElementById("said").textContent = `${shown} ${shown === 1 ? "version" : "versions"} shown.`;
  remember();
}

document.addEventListener("input", (event) => {
  if (["seek", "script", "region"].includes(event.target.id)) narrow();
});
document.addEventListener("change", (event) => {
  if (event.target.id === "measure") remember(), document.getElementById("lab").requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.id === "seek") event.preventDefault();
});
