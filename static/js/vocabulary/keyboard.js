// The keyboard moves from row to row, also to those that are not loaded yet: arrows, Page Up and Down, Home and End. Space
// marks a row, Enter opens it. What is typed goes to the search field.

import { mark } from "./marks.js";
import { data, list, reach, rowHeight, top } from "./rows.js";

let coming = null; // the place of the row that takes the focus once it is loaded, and the promise of it
const rowOf = (target) => target.closest?.(".list .row[data-place]");
const listOf = (target) => target.closest?.(".list");

function next(key, place) {
  const page = Math.max(1, Math.floor(list().clientHeight / rowHeight()) - 2);
  const { start, stop } = data();
  const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: start, End: stop - 1 }[key];
  return to === undefined ? undefined : Math.max(start, Math.min(stop - 1, to));
}

async function focus(place) {
  const own = (coming = { place, row: reach(place) });
  const row = await own.row.catch(() => null);
  if (coming !== own) return;
  coming = null;
  row?.querySelector("a").focus({ preventScroll: true });
}

// The key acts on the row that the keys before it lead to, which may not be loaded yet.
function act(event) {
  const row = coming?.row ?? rowOf(event.target);
  if (!row || event.target.matches("input") || (event.key === "Enter" && !coming)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const done = (at) => at && (event.key === " " ? mark(at.dataset.id) : at.querySelector("a").click());
  coming ? row.then(done, () => {}) : done(row);
}

function search(event) {
  const field = document.getElementById("q");
  event.stopImmediatePropagation(); // a letter may be a shortcut elsewhere
  field.select();
  field.focus();
}

document.addEventListener("keydown", (event) => {
  const inside = listOf(event.target);
  if (event.altKey || event.ctrlKey || event.metaKey || !inside) return;
  if (event.key === " " || event.key === "Enter") return act(event);
  if (event.key.length === 1) return search(event);
  const to = next(event.key, coming?.place ?? Number(rowOf(event.target)?.dataset.place ?? top()));
  if (to === undefined) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  focus(to);
}, { capture: true });

// The list has one place in the order of Tab: coming to it is coming to its row at the top, or the one chosen last.
document.addEventListener("focusin", ({ target }) => {
  const inside = listOf(target);
  if (!inside) return void (coming = null);
  inside.tabIndex = -1;
  if (target === inside && inside.matches(":focus-visible")) focus(Number(inside.querySelector(".picked")?.dataset.place ?? top()));
});
document.addEventListener("focusout", ({ target }) => {
  const inside = listOf(target);
  if (inside) inside.tabIndex = 0;
});

// A result that arrives while the list has the focus leaves it there.
let within = false;
for (const event of ["focusin", "pointerdown"]) document.addEventListener(event, ({ target }) => (within = Boolean(listOf(target))));
document.addEventListener("htmx:after:swap", () => {
  if (within && list() && !listOf(document.activeElement)) focus(top());
});
