// Animate a step of Steps or of a scene, by transforms and opacity alone. A merge has three beats: its occurrences light up
// one by one while its count runs, its row of the table lifts, and the halves join while the list of merges grows. What is
// made of a row above comes out of the tiles there, and the arcs of a best path appear one after the other.

import { scaleOfCanvas } from "../presenter/canvas.js";

const [COUNT, CHOOSE, JOIN] = [700, 300, 600]; // milliseconds of each beat
const SOON = 300; // a step that comes sooner after the one before is shown at once
const APART = 160; // milliseconds between the arcs of a path
const EASING = "cubic-bezier(.3, .7, .2, 1)";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const textOf = (tiles) => tiles.map((tile) => tile.textContent).join("");
const rowsOf = (root) => [...root.querySelectorAll(".picture .rows:not(.stacked) > .row")];

// Every tile, or half of a tile: by its row, the text of the row, and where it begins in it.
function pieces(root) {
  const found = new Map();
  for (const [number, row] of rowsOf(root).entries()) {
    const tiles = [...row.querySelectorAll("i:not(.ghost), b:not(.ghost, :has(i:not(.ghost)))")];
    const word = textOf(tiles);
    let at = 0;
    for (const tile of tiles) {
      const end = at + tile.textContent.length;
      found.set(`${number}\n${word}\n${at}`, { key: `${number}\n${word}\n`, at, end, tile, row, box: tile.getBoundingClientRect() });
      at = end;
    }
  }
  return found;
}

const layers = (root) => root.querySelector(".stacked > .row")?.children.length ?? 0;
const wonOf = (root) => root.querySelector(".pairs .won th")?.textContent;
const capture = (root) => ({
  old: pieces(root), rows: rowsOf(root).length, layers: layers(root), drawn: Boolean(root.querySelector(".lattice .best")),
  won: wonOf(root),
});

// On the canvas of a presentation, a length is in its units.
const from = (box, now) => `translate(${(box.left - now.left) / scaleOfCanvas()}px, ${(box.top - now.top) / scaleOfCanvas()}px)`;
const inView = ({ top, bottom }) => bottom > 0 && top < innerHeight;
const swell = (one, delay, duration = 300) => one.animate([{ transform: "none" }, { transform: "scale(1.12)" }, { transform: "none" }], { delay, duration, easing: EASING });
const appear = (one, delay, start = "none") => one.animate([{ opacity: 0, transform: start }, { opacity: 1, transform: "none" }], { delay, duration: JOIN / 2, fill: "backwards", easing: EASING });

// A tile stays where it was until it moves.
function slide(tile, start, delay) {
  tile.animate([{ transform: start }, { transform: "none" }], { delay, duration: JOIN, fill: "backwards", easing: EASING });
}

// The old tiles whose letters are now in one tile slide into it, as copies that go when they have arrived.
function join({ tile, box }, parts, delay) {
  const width = box.width / parts.reduce((sum, part) => sum + part.box.width, 0);
  let { left } = box;
  return parts.map(({ tile: old, box: was }) => {
    const ghost = old.cloneNode(false);
    ghost.classList.add("ghost");
    ghost.dataset.letters = old.textContent; // which are not those of the tile
    ghost.ariaHidden = "true";
    tile.append(ghost);
    const ends = { left, top: box.top };
    left += was.width * width;
    return () => {
      const place = ghost.getBoundingClientRect();
      return () => {
        const [start, end] = [from(was, place), from(ends, place)];
        ghost.animate([{ transform: start }, { transform: end, opacity: 1, offset: 0.8 }, { transform: end, opacity: 0 }], { delay, duration: JOIN, fill: "backwards", easing: EASING })
          .finished.catch(() => {}).finally(() => ghost.remove());
      };
    };
  });
}

// The tiles of the row above that a tile of a new row is made of.
function sourceOf(tile, row) {
  const [above, own] = [[...(row.previousElementSibling?.querySelectorAll("b") ?? [])], [...row.querySelectorAll("b")]];
  const number = own.indexOf(tile);
  if (textOf(above) !== textOf(own)) return above.length === own.length ? above[number] : null;
  const start = textOf(own.slice(0, number)).length;
  let at = 0;
  return above.find((one) => (at += one.textContent.length) > start);
}

// The number in the row that was chosen runs up to itself; others stay as they are.
let endCount = () => {}; // before the next step, which may put other content into the same cell

function runCount(cell, duration) {
  const text = cell?.textContent ?? "";
  const total = /^[\d,]+$/.test(text) ? Number(text.replaceAll(",", "")) : 0;
  if (!total) return;
  const begun = performance.now();
  let frame = 0;
  const tick = (now) => {
    const share = Math.min(1, (now - begun) / duration);
    cell.textContent = share < 1 ? Math.floor(share * total).toLocaleString("en") : text;
    frame = share < 1 && requestAnimationFrame(tick);
  };
  endCount = () => {
    if (frame) cell.textContent = text;
    cancelAnimationFrame(frame);
    endCount = () => {};
  };
  tick(begun);
}

function play(root, before) {
  const { old, rows, drawn, won } = before;
  const now = pieces(root);
  const chosen = root.querySelector(".pairs .won");
  const counts = chosen && wonOf(root) !== won && root.querySelector(".picture .new");
  const wait = counts ? COUNT + CHOOSE : 0;
  const starts = [];
  for (const piece of now.values()) {
    const { key, at, end, tile, row, box } = piece;
    const was = old.get(`${key}${at}`);
    if (!inView(box) && !(was && inView(was.box))) continue;
    if (was && was.end === end) {
      if (was.box.left !== box.left || was.box.top !== box.top) starts.push(() => () => slide(tile, from(was.box, box), wait));
    } else if (was && was.end < end) {
      starts.push(...join(piece, [...old.values()].filter((one) => one.key === key && one.at >= at && one.end <= end), wait));
    } else if (rowsOf(root).indexOf(row) >= rows) {
      const source = sourceOf(tile, row);
      starts.push(() => { const place = source?.getBoundingClientRect(); return () => appear(tile, 0, place ? from(place, box) : "none"); });
    }
  }
  // All are measured before the first one moves: the page is laid out once.
  for (const move of starts.map((start) => start())) move();
  for (const stack of root.querySelectorAll(".stacked > .row")) {
    for (const made of [...stack.children].slice(before.layers || Infinity)) appear(made, 0, "translateY(-100%)");
  }
  if (counts) {
    const found = [...root.querySelectorAll(".picture .new")];
    for (const [number, one] of found.entries()) swell(one, (number * (COUNT - 300)) / found.length);
    runCount(chosen.cells[1], COUNT);
    swell(chosen, COUNT, CHOOSE);
  }
  const merges = [...root.querySelectorAll(".learned b")];
  if (counts && merges.length) appear(merges.at(-1), wait + JOIN / 2);
  if (!drawn) for (const [number, path] of root.querySelectorAll(".lattice .best").entries()) appear(path, number * APART);
}

let shown = -SOON; // when the last step was

export function glide(root, change, { quick = false } = {}) {
  const soon = performance.now() - shown < SOON;
  shown = performance.now();
  endCount();
  if (quick || soon || still.matches) return change();
  const before = capture(root);
  change();
  play(root, before);
}

// A scene is replaced as a whole by what the server sends.
const scene = () => document.querySelector(".learn-view .stage");
let seen = null;
document.addEventListener("htmx:before:swap", () => {
  endCount();
  seen = scene() && !still.matches ? capture(scene()) : null;
});
document.addEventListener("htmx:after:swap", () => {
  if (seen && scene()) play(scene(), seen);
  seen = null;
});
