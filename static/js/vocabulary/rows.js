// The list scrolls through all tokens found, in blocks of known height: a row is found by its place alone.

import { fill, placeholder, watch } from "./blocks.js";

export const list = () => document.querySelector(".list");
export const data = () => Object.fromEntries(["start", "stop", "offset", "place", "block"].map((name) => [name, Number(list().dataset[name])]));
export const rowHeight = () => list().querySelector(".block .row").getBoundingClientRect().height;
const head = () => list().querySelector(".heads").offsetHeight;

// The place of the row at the top of the view.
export const top = () => data().start + Math.round(list().scrollTop / height);
let height = 0; // of a row, as the blocks have it

// Bring the row at a place into view, and return it when it is there.
export async function reach(place) {
  const { start, stop, block } = data();
  const at = Math.max(start, Math.min(stop - 1, place)) - start;
  const [height, view] = [rowHeight(), list()];
  const [above, below] = [at * height, (at + 1) * height + head() - view.clientHeight];
  if (view.scrollTop > above) view.scrollTop = above;
  else if (view.scrollTop < below) view.scrollTop = below;
  const owner = view.querySelectorAll(".block")[Math.floor(at / block)];
  await fill(owner);
  return owner.children[at % block];
}

// Tab comes to the list once, and from there to what follows it; the arrows move within.
function leaveToArrows(root) {
  for (const link of root.querySelectorAll(".row a")) link.tabIndex = -1;
}

function begin() {
  watch([]);
  if (!list() || list().matches(".scrolls")) return;
  leaveToArrows(list());
  const { start, stop, offset, place, block } = data();
  const shown = list().querySelector(".block");
  const offsets = Array.from({ length: Math.ceil((stop - start) / block) }, (_, at) => start + at * block);
  const blocks = offsets.map((from) => (from === offset ? shown : placeholder(from)));
  shown.parentElement.append(...blocks);
  list().classList.add("scrolls");
  shown.querySelector(`[data-id="${list().dataset.at}"]`)?.classList.add("picked");
  layOut(place);
  watch(blocks);
}

// Give the blocks the height of their rows, with the row at a place at the top.
function layOut(place) {
  const { start, stop, block } = data();
  height = rowHeight();
  list().querySelectorAll(".block").forEach((one, at) => (one.style.height = `${Math.min(block, stop - start - at * block) * height}px`));
  list().scrollTop = (place - start) * height;
}

// The size of letters, and with it the height of rows, follows the width of the window; rows that are not shown have none.
addEventListener("resize", () => {
  if (list()?.matches(".scrolls") && ![0, height].includes(rowHeight())) layOut(top());
});

document.addEventListener("filled", ({ target }) => leaveToArrows(target));
document.addEventListener("htmx:after:swap", begin);
begin();
