// Animate a step of Steps or of a scene. What joins lights up at once, wherever it stands; then its letters slide together
// along their row and become one tile, and their neighbours make room. Tokens turn into their ids out of the row above,
// and the best path of a lattice is drawn from its beginning. A piece is known by the text of its row and its place in it.

import { scaleOfCanvas } from "../presenter/canvas.js";
import { fit } from "../presenter/fit.js";

const TIME = 640; // milliseconds
const [LIT, THERE] = [0.35, 0.85]; // shares of it: until then what joins is lit; by then it has arrived
const SOON = 300; // a step that comes sooner after the one before is shown at once
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
const corner = (root) => root.querySelector(".rows")?.getBoundingClientRect();
const capture = (root) => ({ old: pieces(root), rows: root.querySelectorAll(".rows > .row").length, drawn: paths(root).length, was: corner(root) });
// On the canvas of a presentation, a length is in its units.
const from = (box, now) => `translate(${(box.left - now.left) / scaleOfCanvas()}px, ${(box.top - now.top) / scaleOfCanvas()}px)`;

// Each movement goes in three parts, all of them together: what it adds, what it measures, what moves. Otherwise each
// would make the browser lay the page out anew.
function* slide(tile, start, { joins = false, hidden = false } = {}) {
  yield;
  const tone = getComputedStyle(tile).backgroundColor;
  yield;
  const lit = joins ? { boxShadow: "0 0 0 3px currentColor", backgroundColor: tone } : {};
  const there = joins ? { backgroundColor: tone } : {};
  const end = joins && tile.localName === "i" ? { backgroundColor: "transparent" } : {};
  const faint = hidden ? { opacity: 0 } : {};
  tile.animate([
    { transform: start, ...lit, ...faint }, { transform: start, offset: LIT, ...lit, ...faint },
    { transform: "none", offset: THERE, ...there }, { transform: "none", ...end },
  ], { duration: TIME, easing: EASING });
}

// The old tiles whose letters are now in one tile slide into it, as copies that go when they have arrived.
function* join(tile, now, parts) {
  const ghosts = parts.map(({ tile: old }) => {
    const ghost = old.cloneNode(false);
    ghost.classList.add("ghost");
    ghost.dataset.letters = old.textContent; // which are not those of the tile
    ghost.ariaHidden = "true";
    tile.append(ghost);
    return ghost;
  });
  yield;
  const places = ghosts.map((ghost) => ghost.getBoundingClientRect());
  yield;
  const width = now.width / parts.reduce((sum, part) => sum + part.box.width, 0);
  const lit = { boxShadow: "0 0 0 3px currentColor" };
  let left = now.left;
  for (const [number, { box }] of parts.entries()) {
    const steps = [from(box, places[number]), from({ left, top: now.top }, places[number])];
    left += box.width * width;
    ghosts[number].animate([
      { transform: steps[0], ...lit }, { transform: steps[0], offset: LIT, ...lit }, { transform: steps[1], offset: THERE, opacity: 1 },
      { transform: steps[1], opacity: 0 },
    ], { duration: TIME, easing: EASING }).finished.catch(() => {}).finally(() => ghosts[number].remove());
  }
}

const inView = ({ top, bottom }) => bottom > 0 && top < innerHeight;

function play(root, { old, rows, drawn, was }) {
  const moves = [];
  const now = corner(root);
  // What moved with all its rows, as another part of a slide is shown, did not move.
  if (was && now) for (const one of old.values()) one.box = new DOMRect(one.box.x + now.x - was.x, one.box.y + now.y - was.y, one.box.width, one.box.height);
  const parts = (word, at, end) => [...old.values()].filter((one) => one.word === word && one.at >= at && one.end <= end);
  for (const { word, at, end, tile, row, box } of pieces(root).values()) {
    const before = old.get(`${word}\n${at}`);
    const half = tile.localName === "i";
    if (!inView(box) && !(before && inView(before.box))) continue;
    if (before && (before.end === end || half)) {
      if (half || before.box.left !== box.left || before.box.top !== box.top) moves.push(slide(tile, from(before.box, box), { joins: half }));
    } else if (before && before.end < end) {
      moves.push(join(tile, box, parts(word, at, end)));
    } else if (row.parentNode.children.length > rows) {
      const above = row.previousElementSibling?.querySelectorAll("b")[[...row.querySelectorAll("b")].indexOf(tile)];
      const start = above?.getBoundingClientRect();
      if (start) moves.push(slide(tile, from(start, box), { hidden: true }));
    }
  }
  for (let part = 0; part < 3; part += 1) for (const move of moves) move.next();
  if (!drawn) paths(root).forEach((path, number) => {
    const length = path.getTotalLength();
    path.animate([{ strokeDasharray: length, strokeDashoffset: length }, { strokeDasharray: length, strokeDashoffset: 0 }], {
      duration: DRAWN, delay: number * DRAWN, fill: "backwards",
    });
  });
}

let shown = -SOON; // when the last step was

export function glide(root, change, { quick = false } = {}) {
  const soon = performance.now() - shown < SOON;
  shown = performance.now();
  if (quick || soon || still.matches) return change();
  const before = capture(root);
  change();
  play(root, before);
}

// Below a row of letters, tokens are as wide as their letters, and ids as their tokens, so that all share columns. Return
// whether tiles have got another width.
function align(root) {
  const [letters, ...others] = root.querySelectorAll(".rows > .row");
  if (!letters) return false;
  const columns = [...letters.querySelectorAll("b")];
  if (new Set(columns.map((one) => one.offsetTop)).size !== 1) return false; // they take several lines
  const size = parseFloat(getComputedStyle(columns[0] ?? letters).fontSize);
  let widths = null;
  for (const row of others) {
    const tiles = [...row.querySelectorAll("b")];
    if (tiles.map((one) => one.textContent).join("") === columns.map((one) => one.textContent).join("")) {
      let at = 0;
      let whole = true;
      const each = tiles.map(({ textContent: text }) => {
        const first = columns[at];
        for (; at < columns.length && text; at += 1) {
          whole &&= text.startsWith(columns[at].textContent);
          text = text.slice(columns[at].textContent.length);
        }
        const last = columns[at - 1];
        return first && last ? last.offsetLeft + last.offsetWidth - first.offsetLeft : 0; // a tile may be empty
      });
      widths = whole ? each : null; // another cut of the same text shares no columns
    }
    if (widths?.length === tiles.length) tiles.forEach((one, number) => { one.style.minWidth = `${widths[number] / size}em`; one.style.textAlign = "center"; });
  }
  return others.length > 0;
}

// A scene is replaced as a whole by what the server sends.
const scene = () => document.querySelector(".learn-view .frame");
let seen = null;
document.addEventListener("htmx:before:swap", () => { seen = scene() && !still.matches ? capture(scene()) : null; });
document.addEventListener("htmx:after:swap", () => {
  if (scene() && align(scene())) fit(); // once more, with the wider tiles
  if (seen && scene()) play(scene(), seen);
  seen = null;
});
