// The lines, rows and pictures of a content, none of which a screen may cut.

import { scaleOfCanvas } from "./canvas.js";

const WHOLE = "tr, li, p, figure, fieldset, article, .rows, .row, .cell, dl > div, .split, .tok, .id, .by, b, button, svg, math, img, canvas, [data-whole]";
const LEADS = "h1, h2, h3, h4, caption, thead, .heads, dt, legend, summary, figcaption:first-child, .what"; // stay with what follows
const AIR = 0.14; // of the height of a line, above and below its letters: lines that stand close overlap by it
const SHARE = 0.6; // of the height of a screen, up to which the parts above are kept in one piece

const hasBox = (one) => one.checkVisibility() || getComputedStyle(one).display === "contents";
const isHidden = (one) => one.matches(".hidden, .player, p.caption, script, style") || !hasBox(one);

// Where a rectangle of the window is in the content of a box, in units.
export function placeIn(box, rect) {
  const edge = box.getBoundingClientRect().top;
  const [top, bottom] = [rect.top, rect.bottom].map((one) => (one - edge) / scaleOfCanvas() + box.scrollTop);
  return { top, bottom };
}

// From top to bottom, each { top, bottom } in units; what stands side by side is one band, and what leads goes with what
// follows. A band that `starts` something is the first of its screen.
export function bandsOf(box, height) {
  const found = [];
  const add = (rect, leads) => rect.height > 1 && rect.width > 1 && found.push({ ...placeIn(box, rect), leads });
  const starts = [...box.querySelectorAll("[data-columns] ~ [data-columns]")].map((one) => placeIn(box, one.getBoundingClientRect()).top);
  const range = document.createRange();
  const visit = (one, leads) => {
    for (const node of one.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) {
        range.selectNodeContents(node);
        for (const { left, top, width, height } of range.getClientRects()) add(new DOMRect(left, top + AIR * height, width, (1 - 2 * AIR) * height), leads);
      }
      if (node.nodeType !== Node.ELEMENT_NODE || isHidden(node)) continue;
      const rect = node.getBoundingClientRect();
      const following = leads || node.matches(LEADS);
      const low = rect.height / scaleOfCanvas() <= (node.matches(".rows, .predict") ? 1 : SHARE) * height;
      if (node.localName === "svg" || (low && node.matches(WHOLE))) add(rect, following);
      else visit(node, following);
    }
  };
  visit(box, false);
  const bands = join(found.sort((a, b) => a.top - b.top), height);
  for (const start of starts) bands.find(({ top }) => top >= start - 1).starts = true;
  return bands;
}

function join(found, height) {
  const bands = [];
  for (const { top, bottom, leads } of found) {
    const last = bands.at(-1);
    if (last && (top < last.bottom - 1 || (last.leads && bottom - last.top <= height))) {
      last.leads = leads && (last.leads || bottom > last.bottom);
      last.bottom = Math.max(last.bottom, bottom);
    } else bands.push({ top, bottom, leads });
  }
  return bands;
}
