// The folded options of a training say in one line which are chosen.

import { counted } from "../counted.js";

const form = document.getElementById("lab");

function labelOf(name) {
  const field = form.querySelector(`[name=${name}]:checked`);
  return (field ? field.closest("label") : form.elements[name].selectedOptions[0]).textContent.trim();
}

function tell() {
  const noun = form.elements.algorithm.value === "unigram" ? "token" : "merge";
  const number = counted(Number(form.elements.merges.value), noun);
  form.querySelector("[data-chosen]").textContent = [labelOf("algorithm"), labelOf("unit").split(",")[0].toLowerCase(), number].join(" · ");
}

for (const event of ["input", "change", "restored"]) form.addEventListener(event, tell);
