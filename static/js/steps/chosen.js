// The folded options of a training say in one line which are chosen.

import { counted } from "../counted.js";

const form = document.getElementById("lab");

function tell() {
  const { algorithm, unit, merges } = form.elements;
  const number = counted(Number(merges.value), algorithm.value === "unigram" ? "token" : "merge");
  form.querySelector("[data-chosen]").textContent = `${unit.selectedOptions[0].textContent.split(",")[0]} · ${number}`;
}

for (const event of ["input", "change", "restored"]) form.addEventListener(event, tell);
