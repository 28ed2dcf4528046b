// No letter on the canvas is smaller than 40 units, 1/27 of its height: what is smaller, is raised to that.

import { scaleOfCanvas } from "./canvas.js";

export const LETTER = 40;
const hasText = (one) => !one.closest("title, math, .katex") && [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());

// The drawing of an SVG element is scaled once more; its letters are set in the lengths of the drawing.
function unitOf(one) {
  const matrix = one.ownerSVGElement && one.getScreenCTM?.();
  return matrix ? Math.hypot(matrix.a, matrix.b) / scaleOfCanvas() : 1;
}

const cross = (a, b) => a.left < b.right && b.left < a.right && a.top + a.height / 5 < b.bottom && b.top + b.height / 5 < a.bottom;

// A number that is much wider than its cell would stand on others.
const isWide = (one, rect) => one.matches(".heat text:not(.name)") && rect.width > 1.5 * one.previousElementSibling.getBoundingClientRect().width;

// Where letters of a drawing would lie upon each other, the bold ones and those that come later stay.
function thinOut(drawing) {
  const kept = [];
  const texts = [...drawing.querySelectorAll("text")].reverse();
  for (const one of texts.sort((a, b) => b.matches(".bold") - a.matches(".bold"))) {
    const rect = one.getBoundingClientRect();
    const crowded = isWide(one, rect) || kept.some((other) => cross(rect, other));
    one.toggleAttribute("data-crowded", crowded);
    if (!crowded) kept.push(rect);
  }
}

// Make room for names of rows that begin before their drawing; true if there was too little.
function widen(drawing) {
  const { left, width } = drawing.getBoundingClientRect();
  const over = left - Math.min(...[...drawing.querySelectorAll(".name, [text-anchor=end]")].map((one) => one.getBoundingClientRect().left));
  const view = drawing.viewBox.baseVal;
  if (!(over > 0.5 && width)) return false;
  const more = (1.4 * over * view.width) / width; // the letters are raised once more in a wider drawing
  drawing.setAttribute("viewBox", [view.x - more, view.y, view.width + more, view.height].join(" "));
  return true;
}

export function raiseLetters(box) {
  for (let tries = 4; tries; tries--) {
    raise(box);
    if (![...box.querySelectorAll("svg:is(.heat, .lattice)")].filter(widen).length) break;
  }
  for (const drawing of box.querySelectorAll("svg:has(text)")) thinOut(drawing);
}

function raise(box) {
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
}
