// Estimate the height of windows that are not tokenized yet, so that the scroll bar shows the length of the text.

import { result } from "../part.js";

const EM_PER_BYTE = 0.45;
const LINE = 2.05;

function guess() {
  const waiting = result.querySelectorAll(".window.wait");
  if (!waiting.length) return;
  const em = parseFloat(getComputedStyle(waiting[0].querySelector(".text")).fontSize);
  const line = result.clientWidth / em;
  for (const section of waiting) {
    const lines = Math.max(section.dataset.bytes * EM_PER_BYTE / line, section.textContent.split("\n").length) + 2;
    section.style.containIntrinsicBlockSize = `auto ${Math.round(lines * em * LINE)}px`;
  }
}

document.addEventListener("htmx:after:swap", guess);
guess();
