// The keyboard moves from row to row, also to those that are not loaded yet: arrows, Page Up and Down, Home and End.

import { data, list, reach, rowHeight, top } from "./rows.js";

let latest = 0;

function next(key, place) {
  const page = Math.max(1, Math.floor(list().clientHeight / rowHeight()) - 2);
  const { start, stop } = data();
  const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: start, End: stop - 1 }[key];
  return to === undefined ? undefined : Math.max(start, Math.min(stop - 1, to));
}

document.addEventListener("keydown", async (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !event.target.closest?.(".list")) return;
  const row = event.target.closest(".row[data-place]");
  const to = next(event.key, row ? Number(row.dataset.place) : event.key === "ArrowDown" ? top() - 1 : top());
  if (to === undefined) return;
  event.preventDefault();
  latest = to;
  const reached = await reach(to);
  if (latest === to) reached?.querySelector("a").focus({ preventScroll: true });
});
