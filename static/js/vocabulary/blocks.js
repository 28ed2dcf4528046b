// Blocks of rows: each is a placeholder of its known height until it comes into view, and is empty again when it is far
// away, so that a quarter of a million rows take the memory of a thousand. At most two are requested at a time.

const [AT_ONCE, KEPT] = [2, 14];
const PAUSE = 40; // milliseconds; blocks scrolled past by then are not requested
const wanted = new Set();
const pending = new Map(); // block -> the promise of its rows
let resting = 0;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) isIntersecting ? wanted.add(target) : wanted.delete(target);
  resting ||= setTimeout(pump, PAUSE);
}, { rootMargin: "600px 0px" });

function pump() {
  resting = 0;
  for (const block of wanted) if (!block.matches(".waits")) wanted.delete(block);
  while (pending.size < AT_ONCE && wanted.size) fill([...wanted].at(-1));
}

// Fetch the rows of a block that has none yet.
export function fill(block) {
  wanted.delete(block);
  if (!block.matches(".waits")) return Promise.resolve();
  if (!pending.has(block)) pending.set(block, request(block).finally(() => (pending.delete(block), pump())));
  return pending.get(block);
}

async function request(block) {
  const list = block.closest(".list");
  const answer = await fetch(`${list.dataset.rows}${block.dataset.offset}`, { headers: { "HX-Request": "true", "HX-Request-Type": "partial" } });
  if (!answer.ok || !block.isConnected) return;
  block.innerHTML = await answer.text();
  block.classList.remove("waits");
  block.removeAttribute("aria-busy");
  block.dispatchEvent(new Event("filled", { bubbles: true }));
  letGo(list, block);
}

function letGo(list, newest) {
  const top = list.getBoundingClientRect().top;
  const far = (block) => Math.abs(block.getBoundingClientRect().top - top);
  const idle = [...list.querySelectorAll(".block:not(.waits)")].filter((block) => block !== newest && !block.contains(document.activeElement));
  for (const block of idle.sort((a, b) => far(b) - far(a)).slice(0, Math.max(0, idle.length - KEPT))) empty(block);
}

function empty(block) {
  block.replaceChildren();
  block.classList.add("waits");
  block.setAttribute("aria-busy", "true");
  near.unobserve(block);
  near.observe(block); // so that it is seen again
}

// A block without rows yet.
export function placeholder(offset) {
  const block = document.createElement("div");
  block.className = "block waits";
  block.setAttribute("role", "rowgroup");
  block.setAttribute("aria-busy", "true");
  block.dataset.offset = offset;
  return block;
}

export function watch(blocks) {
  near.disconnect();
  wanted.clear();
  blocks.forEach((block) => near.observe(block));
}
