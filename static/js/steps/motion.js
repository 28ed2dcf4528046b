// Animate a step of Steps or of a scene. What joins lights up at once, wherever it stands; then its letters slide together
// along their row and become one tile, and their neighbours make room. Tokens turn into their ids out of the row above,
// and the best path of a lattice is drawn from its beginning. A piece is known by the text of its row and its place in it.

import { scaleOfCanvas } from "../presenter/canvas.js";

const TIME = 640; // milliseconds
const [LIT, THERE] = [0.35, 0.85]; // shares of it: until then what joins is lit; by then it has arrived
const DRAWN = 260; // milliseconds for each arc of a path
const EASING = "cubic-bezier(.3, .7, .2, 1)";
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Every tile, or half of a tile: by the text of its row, where it begins and where it ends.
function pieces(root) {
  const found = new Map();
  for (const row of root.querySelectorAll(".rows > .row")) {
    const tiles = [...row.querySelectorAll("i:not(.ghost), b:not(.ghost, :has(i:not(.ghost)))")];
    const word = tiles.map((tile) => tile.textContent).join("");
    let at = 0;
    for (const tile of tiles) {
      const end = at + tile.textContent.length;
      if (!found.has(`${word}\n${at}`)) found.set(`${word}\n${at}`, { word, at, end, tile, row, box: tile.getBoundingClientRect() });
      at = end;
    }
  }
  return found;
}

const paths = (root) => [...root.querySelectorAll(".lattice path.best")];
const capture = (root) => ({ old: pieces(root), rows: root.querySelectorAll(".rows > .row").length, drawn: paths(root).length });
// On the canvas of a presentation, a length is in its units.
const from = (box, now) => `translate(${(box.left - now.left) / scaleOfCanvas()}px, ${(box.top - now.top) / scaleOfCanvas()}px)`;

function slide(tile, start, { joins = false, hidden = false } = {}) {
  const tone = getComputedStyle(tile).backgroundColor;
  const lit = joins ? { boxShadow: "0 0 0 3px currentColor", backgroundColor: tone } : {};
  const there = joins ? { backgroundColor: tone } : {};
  const end = joins && tile.localName === "i" ? { backgroundColor: "transparent" } : {};
  const faint = hidden ? { opacity: 0 } : {};
  return tile.animate([
    { transform: start, ...lit, ...faint }, { transform: start, offset: LIT, ...lit, ...faint },
    { transform: "none", offset: THERE, ...there }, { transform: "none", ...end },
  ], { duration: TIME, easing: EASING });
}

// The old tiles whose letters are now in one tile slide into it, as copies that go when they have arrived.
function join(tile, parts) {
  const now = tile.getBoundingClientRect();
  const width = now.width / parts.reduce((sum, part) => sum + part.box.width, 0);
  let left = now.left;
  for (const { tile: old, box } of parts) {
    const ghost = old.cloneNode(false);
    ghost.classList.add("ghost");
    ghost.dataset.letters = old.textContent; // which are not those of the tile
    ghost.ariaHidden = "true";
    tile.append(ghost);
    const place = ghost.getBoundingClientRect();
    const steps = [from(box, place), from({ left, top: now.top }, place)];
    left += box.width * width;
    const lit = { boxShadow: "0 0 0 3px currentColor" };
    ghost.animate([
      { transform: steps[0], ...lit }, { transform: steps[0], offset: LIT, ...lit }, { transform: steps[1], offset: THERE, opacity: 1 },
      { transform: steps[1], opacity: 0 },
    ], { duration: TIME, easing: EASING }).finished.catch(() => {}).finally(() => ghost.remove());
  }
}

function play(root, { old, rows, drawn }) {
  const moves = [];
  const all = [...pieces(root).values()];
  const parts = (word, at, end) => [...old.values()].filter((one) => one.word === word && one.at >= at && one.end <= end);
  for (const { word, at, end, tile, row, box } of all) {
    const before = old.get(`${word}\n${at}`);
    const half = tile.localName === "i";
    if (before && (before.end === end || half)) {
      if (half || before.box.left !== box.left || before.box.top !== box.top) moves.push(() => slide(tile, from(before.box, box), { joins: half }));
    } else if (before && before.end < end) {
      const joined = parts(word, at, end);
      moves.push(() => join(tile, joined));
    } else if (row.parentNode.children.length > rows) {
      const above = row.previousElementSibling?.querySelectorAll("b")[[...row.querySelectorAll("b")].indexOf(tile)];
      const start = above?.getBoundingClientRect();
      if (start) moves.push(() => slide(tile, from(start, box), { hidden: true }));
    }
  }
  for (const move of moves) move();
  if (!drawn) paths(root).forEach((path, number) => {
    const length = path.getTotalLength();
    path.animate([{ strokeDasharray: length, strokeDashoffset: length }, { strokeDasharray: length, strokeDashoffset: 0 }], {
      duration: DRAWN, delay: number * DRAWN, fill: "backwards",
    });
  });
}

export function glide(root, change, { quick = false } = {}) {
  if (quick || still.matches) return change();
  const before = capture(root);
  change();
  play(root, before);
}

// Below a row of letters, tokens are as wide as their letters, and ids as their tokens, so that all share columns.
function align(root) {
  const [letters, ...others] = root.querySelectorAll(".rows > .row");
  if (!letters) return;
  const columns = [...letters.querySelectorAll("b")];
  if (new Set(columns.map((one) => one.offsetTop)).size !== 1) return; // they take several lines
  const size = parseFloat(getComputedStyle(columns[0] ?? letters).fontSize);
  let widths = null;
  for (const row of others) {
    const tiles = [...row.querySelectorAll("b")];
    if (tiles.map((one) => one.textContent).join("") === columns.map((one) => one.textContent).join("")) {
      let at = 0;
      widths = tiles.map(({ textContent: text }) => {
        const first = columns[at];
        while (at < columns.length && text) text = text.slice(columns[at].textContent.length), (at += 1);
        const last = columns[at - 1];
        return first && last ? last.offsetLeft + last.offsetWidth - first.offsetLeft : 0; // a tile may be empty
      });
    }
    if (widths?.length === tiles.length) tiles.forEach((one, number) => { one.style.minWidth = `${widths[number] / size}em`; one.style.textAlign = "center"; });
  }
}

// A scene is replaced as a whole by what the server sends.
const scene = () => document.querySelector(".learn-view .frame");
let seen = null;
document.addEventListener("htmx:before:swap", () => { seen = scene() && !still.matches ? capture(scene()) : null; });
document.addEventListener("htmx:after:swap", () => {
  if (scene()) align(scene());
  if (seen && scene()) play(scene(), seen);
  seen = null;
});
