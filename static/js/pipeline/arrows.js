// Arrow keys go from piece to piece: to the sides within a band, up and down along the way of a piece. All are one tab
// stop.

import { overlaps } from "./lighting.js";

function across(piece, step) {
  const cell = piece.closest("td");
  for (let row = cell.parentElement; (row = step < 0 ? row.previousElementSibling : row.nextElementSibling);) {
    const next = [...row.querySelectorAll("[data-s]:not(.gone)")].find((one) => overlaps(one, cell));
    if (next) return next.querySelector(".piece");
  }
  return piece;
}

function beside(piece, to) {
  const band = piece.closest("tr").className.split(" ").at(-1);
  const at = piece.closest("tr").dataset.at;
  const pieces = [...document.querySelectorAll(`#result .${band}[data-at="${at}"] .piece`)];
  return pieces[Math.min(Math.max(to(pieces.indexOf(piece), pieces.length), 0), pieces.length - 1)];
}

const KEYS = {
  ArrowLeft: (piece) => beside(piece, (at) => at - 1),
  ArrowRight: (piece) => beside(piece, (at) => at + 1),
  Home: (piece) => beside(piece, () => 0),
  End: (piece) => beside(piece, (at, count) => count - 1),
  ArrowUp: (piece) => across(piece, -1),
  ArrowDown: (piece) => across(piece, 1),
};

document.addEventListener("keydown", (event) => {
  const piece = event.target.closest?.(".system .piece");
  if (!piece || !KEYS[event.key]) return;
  event.preventDefault();
  const next = KEYS[event.key](piece);
  piece.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
