// Estimate the height of windows that are not tokenized yet, so that the scroll bar shows the length of the text.

import { result } from "../part.js";

const EM_PER_BYTE = 0.45;
const LINE = 2.05;
let size; // of the letters and the result, in pixels; to measure them lays out all that was just replaced

function guess() {
  const waiting = result.querySelectorAll(".window.wait");
  if (!waiting.length) return;
  size ??= { em: parseFloat(getComputedStyle(waiting[0].querySelector(".text")).fontSize), width: result.clientWidth };
  const { em, width } = size;
  const line = width / em;
  for (const section of waiting) {
    const lines = Math.max(section.dataset.bytes * EM_PER_BYTE / line, section.textContent.split("\n").length) + 2;
    section.style.containIntrinsicBlockSize = `auto ${Math.round(lines * em * LINE)}px`;
  }
}

new ResizeObserver(() => (size = undefined)).observe(result);
document.addEventListener("htmx:after:swap", guess);
guess();
