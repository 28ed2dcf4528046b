// The screens that a long content takes: each begins and ends between lines, rows and pictures, so that none is cut, and
// the head of a table stands on each that shows its rows.

import { bandsOf, placeIn } from "./bands.js";

const EDGE = 8; // units beside a band, for outlines

function tablesIn(box) {
  const place = (one) => placeIn(box, one.getBoundingClientRect());
  return [...box.querySelectorAll("table, .list")].filter((one) => one.checkVisibility()).map((one) => {
    const shown = [...one.querySelectorAll("tr, .row")].filter((row) => !row.closest("thead, .heads") && row.checkVisibility());
    const rows = shown.map((row, at) => ({ ...place(row), number: 1 + Number(row.dataset.place ?? at) }));
    const head = one.querySelector("thead, .heads");
    const total = Number(one.querySelector("[aria-rowcount]")?.ariaRowCount ?? rows.length + 1) - 1;
    return { ...place(one), rows, total, columns: one.dataset.columns, head: head ? place(head).bottom - place(head).top : 0 };
  });
}

// The height of the head that stays above the rows of a table that began before.
const headAt = (tables, at) => tables.find(({ top, bottom, rows, head }) => head && top < at && bottom > at && rows[0]?.top < at - 1)?.head ?? 0;

function noteOf(tables, from, to) {
  for (const { rows, total, columns } of tables) {
    const seen = rows.filter(({ top, bottom }) => top >= from - 2 && bottom <= to + 2).map(({ number }) => number);
    if (!seen.length || (seen.length === total && !columns)) continue;
    const span = seen.length === 1 ? `row ${seen[0]}` : `rows ${seen[0]}–${seen.at(-1)}`;
    return [seen.length < total && `${span} of ${total.toLocaleString("en")}`, columns].filter(Boolean).join(", ");
  }
  return "";
}

// The bands with which screens of a height begin.
function startsOf(bands, tables, height) {
  const starts = bands.length ? [0] : [];
  for (const [at, band] of bands.entries()) {
    const from = bands[starts.at(-1)].top;
    const room = height - headAt(tables, from) - 2 * EDGE;
    if (at !== starts.at(-1) && (band.starts || band.bottom - from > room)) starts.push(at);
  }
  return starts;
}

// As few as there can be, and equally full: no last screen with a single row.
function balanced(bands, tables, height) {
  const fewest = startsOf(bands, tables, height);
  for (let share = 0.5; share < 1; share += 0.05) {
    const starts = startsOf(bands, tables, share * height);
    if (starts.length === fewest.length) return starts;
  }
  return fewest;
}

// The pages of a content for a screen of a height, each { from, to, head, note } in units; `box` has its whole height.
export function pagesOf(box, height, { even = false } = {}) {
  const bands = bandsOf(box, height);
  const tables = tablesIn(box);
  const starts = (even ? balanced : startsOf)(bands, tables, height);
  return starts.map((start, at) => {
    const [first, last, next] = [bands[start], bands[(starts[at + 1] ?? bands.length) - 1], bands[starts[at + 1]]];
    const head = headAt(tables, first.top);
    const room = (from, to) => Math.min(EDGE, Math.max(0, (to - from) / 2));
    const before = head ? 0 : room(start ? bands[start - 1].bottom : 0, first.top);
    return { from: first.top - before, to: last.bottom + (next ? room(last.bottom, next.top) : EDGE), head, note: noteOf(tables, first.top, last.bottom) };
  });
}

// Show a page of a content in its box, which is then as high as the page.
export function showPage(box, { from, to, head }) {
  box.style.height = `${to - from + head}px`;
  box.scrollTop = from - head;
}
