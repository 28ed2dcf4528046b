// Filter the table while one types: by words of a name or a code, by script and by region. All rows are on the page already.

import { remember } from "./address.js";
import { filed } from "./filed.js";

let names = {}; // by code; fetched once, because they would make every version of the page heavier

function narrow() {
  const [script, region, seek, table] = ["script", "region", "seek", "atlas"].map((id) => document.getElementById(id));
  const words = filed(seek.value).split(/\s+/);
  let [shown, excluded] = [0, 0];
  for (const row of table.tBodies[0].rows) {
    const [name, code, own] = [0, 1, 2].map((at) => row.cells[at].textContent);
    const text = filed(`${name} ${code} ${names[row.cells[1].firstChild.textContent] ?? ""}`);
    const named = words.every((word) => text.includes(word));
    const inPlace = ["", own].includes(script.value) && ["", row.dataset.in].includes(region.value);
    row.hidden = !(inPlace && named);
    shown += !row.hidden;
    excluded += named && !inPlace;
  }
  document.getElementById("shown").textContent = shown.toLocaleString("en");
  table.parentElement.querySelector(".none").hidden = shown + excluded > 0;
  const filters = table.parentElement.querySelector(".excluded");
  filters.hidden = shown > 0 || !excluded;
  filters.querySelector("span").textContent = `${excluded} ${excluded === 1 ? "match" : "matches"}`;
  document.getElementById("said").textContent = `${shown} ${shown === 1 ? "version" : "versions"} shown.`;
  remember();
}

document.addEventListener("input", (event) => {
  if (["seek", "script", "region"].includes(event.target.id)) narrow();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".excluded a")) return;
  event.preventDefault();
  for (const id of ["script", "region"]) document.getElementById(id).value = "";
  narrow();
});
document.addEventListener("change", (event) => {
  if (event.target.id === "measure") remember(), document.getElementById("lab").requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.id === "seek") event.preventDefault();
});

fetch("/languages/names.json").then((answer) => answer.json()).then((known) => {
  names = known;
  if (document.getElementById("seek")?.value) narrow();
}).catch(() => {}); // without them, languages are found by the names on the page
