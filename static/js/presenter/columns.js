// In place of a table that is wider than its screen, several stand below each other; each repeats the first column.

import { scaleOfCanvas } from "./canvas.js";

const widthOf = (one) => one.getBoundingClientRect().width / scaleOfCanvas();

// The places of the columns that a cell spans.
function* spansOf(row) {
  let at = 0;
  for (const cell of row.cells) {
    yield [cell, at];
    at += cell.colSpan;
  }
}

// The width of each column: from where any cell begins in it to where one begins in the next.
function widthsOf(table) {
  const { left, right } = table.getBoundingClientRect();
  const mirrored = getComputedStyle(table).direction === "rtl";
  const edges = [];
  for (const row of table.rows) {
    for (const [cell, at] of spansOf(row)) {
      const rect = cell.getBoundingClientRect();
      edges[at] = mirrored ? right - rect.right : rect.left - left;
      edges[at + cell.colSpan] ??= mirrored ? right - rect.left : rect.right - left;
    }
  }
  for (let at = edges.length - 2; at >= 0; at--) edges[at] ??= edges[at + 1];
  return edges.slice(1).map((edge, at) => (edge - edges[at]) / scaleOfCanvas());
}

// Hide the columns of a table that are not among those given, each by its place.
function keepColumns(table, kept) {
  for (const row of table.rows) {
    for (const [cell, at] of [...spansOf(row)]) {
      const left = kept.filter((one) => one >= at && one < at + cell.colSpan).length;
      if (left) cell.colSpan = left;
      cell.toggleAttribute("data-away", !left);
    }
  }
}

// The columns that fit beside the first one, again and again.
function chunksOf(widths, room) {
  const chunks = [];
  let free = -1;
  for (const [at, width] of widths.entries()) {
    if (!at) continue;
    if (width > free) chunks.push([]), (free = room - widths[0]);
    chunks.at(-1).push(at);
    free -= width;
  }
  return chunks;
}

// As few as there can be, and equally wide.
function balanced(widths, room) {
  const fewest = chunksOf(widths, room);
  const shares = [0.5, 0.6, 0.7, 0.8, 0.9, 1].map((share) => chunksOf(widths, share * room));
  return shares.find((chunks) => chunks.length === fewest.length);
}

// Put parts of a table, each with some of its columns, in its place.
function divide(table, chunks, count) {
  const parts = chunks.map((chunk) => {
    const part = table.cloneNode(true);
    part.removeAttribute("data-away");
    keepColumns(part, [0, ...chunk]);
    const [first, last] = [chunk[0] + 1, chunk.at(-1) + 1];
    part.dataset.columns = chunks.length > 1 ? `${first === last ? `column ${first}` : `columns ${first}–${last}`} of ${count}` : "";
    part.toggleAttribute("data-breaks", chunk.length === 1);
    return part;
  });
  table.after(...parts);
  table.dataset.away = "";
  return parts;
}

export function splitWideTables(box, room) {
  for (const part of box.querySelectorAll("[data-columns]")) part.remove();
  for (const table of box.querySelectorAll("table[data-away]")) table.removeAttribute("data-away");
  for (const table of box.querySelectorAll("table")) {
    if (widthOf(table) <= room + 1) continue;
    const widths = widthsOf(table);
    if (widths.length < 3) {
      table.dataset.breaks = "";
      continue;
    }
    // Alone, columns can be wider than in the table, which squeezes them.
    for (let tenths = 10; tenths > 4; tenths--) {
      const parts = divide(table, balanced(widths, (tenths / 10) * room), widths.length);
      if (parts.every((part) => widthOf(part) <= room + 1 || "breaks" in part.dataset)) break;
      if (tenths > 5) for (const part of parts) part.remove();
    }
  }
}
