// The stage of Steps and of the scenes on its canvas. The server has chosen its regions and the sizes of their letters
// (app/lab/steps/regions.py); a formula alone is measured.

import { placeCanvas, setRem } from "./canvas.js";
import { presenting } from "./mode.js";

const FORMULA = [96, 84, 72, 62, 54, 46, 40, 34, 28]; // units of its letters

function fitFormula(box) {
  for (const size of FORMULA) {
    box.style.setProperty("--formula", `${size}px`);
    if (box.scrollWidth <= box.clientWidth + 1) return;
  }
}

export function fit() {
  const box = document.querySelector("[data-fit]");
  if (!box) return;
  box.closest("main").classList.toggle("canvas", presenting());
  if (!presenting()) return;
  placeCanvas();
  setRem(44);
  const formula = box.querySelector(".learn-equation");
  if (formula?.checkVisibility()) fitFormula(formula);
}

for (const event of ["presented", "htmx:after:swap", "canvas"]) document.addEventListener(event, fit);
