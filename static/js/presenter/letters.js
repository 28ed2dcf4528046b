// No letter on the canvas is smaller than 40 units, 1/27 of its height: what is smaller, is raised to that.

import { scaleOfCanvas } from "./canvas.js";

export const LETTER = 40;
const hasText = (one) => !one.closest("title, math") && [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());

// The drawing of an SVG element is scaled once more; its letters are set in the lengths of the drawing.
function unitOf(one) {
  const matrix = one.ownerSVGElement && one.getScreenCTM?.();
  return matrix ? Math.hypot(matrix.a, matrix.b) / scaleOfCanvas() : 1;
}

const cross = (a, b) => a.left < b.right && b.left < a.right && a.top + a.height / 5 < b.bottom && b.top + b.height / 5 < a.bottom;

// Where letters of a drawing would lie upon each other, the bold ones and those that come later stay.
function thinOut(drawing) {
  const kept = [];
  const texts = [...drawing.querySelectorAll("text")].reverse();
  for (const one of texts.sort((a, b) => b.matches(".bold") - a.matches(".bold"))) {
    const rect = one.getBoundingClientRect();
    const crowded = kept.some((other) => cross(rect, other));
    one.toggleAttribute("data-crowded", crowded);
    if (!crowded) kept.push(rect);
  }
}

export function raiseLetters(box) {
  for (const one of box.querySelectorAll("[data-raised]")) delete one.dataset.raised;
  const raised = [...box.querySelectorAll("*")].filter(hasText).map((one) => {
    const unit = unitOf(one);
    return [one, unit, parseFloat(getComputedStyle(one).fontSize) * unit < LETTER - 0.1];
  });
  for (const [one, unit, small] of raised) {
    if (!small) continue;
    one.dataset.raised = "";
    one.style.setProperty("--letter", `${LETTER / unit}px`);
  }
  for (const drawing of box.querySelectorAll("svg:has(text)")) thinOut(drawing);
}
