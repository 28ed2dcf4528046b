// The list scrolls through all tokens found: each block of rows is a placeholder of its known height until it comes into
// view, and is empty again when it is far away, so that a quarter of a million rows take the memory of a thousand.

const [AT_ONCE, KEPT] = [2, 14];
const PAUSE = 40; // milliseconds; blocks scrolled past by then are not requested
const wanted = new Set();
const pending = new Map(); // block -> the promise of its rows
let resting = 0;

export const list = () => document.querySelector(".list");
export const data = () => Object.fromEntries(["start", "stop", "offset", "block"].map((name) => [name, Number(list().dataset[name])]));
const blocks = () => [...list().querySelectorAll(".block")];
export const rowHeight = () => list().querySelector(".block .row").getBoundingClientRect().height;
const head = () => list().querySelector(".heads").offsetHeight;
// The place of the row at the top of the view.
export const top = () => data().start + Math.round(list().scrollTop / rowHeight());

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) isIntersecting ? wanted.add(target) : wanted.delete(target);
  resting ||= setTimeout(pump, PAUSE);
}, { rootMargin: "600px 0px" });

function pump() {
  resting = 0;
  for (const block of wanted) if (!block.matches(".waits")) wanted.delete(block);
  while (pending.size < AT_ONCE && wanted.size) fill([...wanted].at(-1));
}

function fill(block) {
  wanted.delete(block);
  if (!block.matches(".waits")) return Promise.resolve();
  if (!pending.has(block)) pending.set(block, request(block).finally(() => (pending.delete(block), pump())));
  return pending.get(block);
}

async function request(block) {
  const answer = await fetch(`${list().dataset.rows}${block.dataset.offset}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok || !block.isConnected) return;
  block.innerHTML = await answer.text();
  block.classList.remove("waits");
  block.removeAttribute("aria-busy");
  letGo(block);
}

function letGo(newest) {
  const view = list().getBoundingClientRect();
  const far = (block) => Math.abs(block.getBoundingClientRect().top - view.top);
  const idle = blocks().filter((block) => !block.matches(".waits") && block !== newest && !block.contains(document.activeElement));
  for (const block of idle.sort((a, b) => far(b) - far(a)).slice(0, Math.max(0, idle.length - KEPT))) empty(block);
}

function empty(block) {
  block.replaceChildren();
  block.classList.add("waits");
  block.setAttribute("aria-busy", "true");
  near.unobserve(block), near.observe(block); // so that it is seen again
}

// Bring the row at a place into view, and return it when it is there.
export async function reach(place) {
  const { start, stop, block } = data();
  const at = Math.max(start, Math.min(stop - 1, place)) - start;
  const [height, view] = [rowHeight(), list()];
  const [above, below] = [at * height, (at + 1) * height + head() - view.clientHeight];
  if (view.scrollTop > above) view.scrollTop = above;
  else if (view.scrollTop < below) view.scrollTop = below;
  const owner = blocks()[Math.floor(at / block)];
  await fill(owner);
  return owner.children[at % block];
}

export function begin() {
  near.disconnect(), wanted.clear();
  if (!list() || list().matches(".scrolls")) return;
  const { start, stop, offset, block } = data();
  const [shown, height, place] = [list().querySelector(".block"), rowHeight(), list().dataset.at];
  const count = Math.ceil((stop - start) / block);
  const all = Array.from({ length: count }, (_, at) => (start + at * block === offset ? shown : document.createElement("div")));
  all.forEach((one, at) => {
    one.style.height = `${Math.min(block, stop - start - at * block) * height}px`;
    if (one === shown) return;
    one.className = "block waits";
    one.setAttribute("role", "rowgroup"), one.setAttribute("aria-busy", "true");
    one.dataset.offset = start + at * block;
  });
  shown.parentElement.append(...all);
  list().classList.add("scrolls");
  const picked = place && shown.querySelector(`[data-id="${place}"]`);
  picked?.classList.add("picked");
  list().scrollTop = (Number(picked?.dataset.place ?? offset) - start) * height;
  all.forEach((one) => near.observe(one));
}

document.addEventListener("htmx:after:swap", begin);
begin();
