// The character under the pointer, or the token that the arrow keys select, marks the tokens over it in every column.

const result = document.getElementById("result");
const said = document.getElementById("lit");
let lit = [];
let last = "";

function light(start, end) {
  const span = `${start} ${end}`;
  if (span === last) return;
  last = span;
  for (const one of lit) one.classList.remove("on");
  const over = ({ dataset }) => Number(dataset.s) < end && Number(dataset.e) > start;
  lit = start === null ? [] : [...result.querySelectorAll("[data-s]")].filter(over);
  for (const one of lit) one.classList.add("on");
}

// Which character of a token lies at a point, counted from the beginning of the text.
function character(token, x, y) {
  const caret = document.caretPositionFromPoint?.(x, y);
  if (!caret || caret.offsetNode.nodeType !== Node.TEXT_NODE || !token.contains(caret.offsetNode)) return null;
  const range = document.createRange();
  range.setStart(token, 0);
  range.setEnd(caret.offsetNode, caret.offset);
  const before = range.cloneRange();
  before.setStart(caret.offsetNode, Math.max(0, caret.offset - 1));
  const { left, right } = before.getBoundingClientRect();
  const past = caret.offset > 0 && left <= x && x < right ? 1 : 0;
  const place = Number(token.dataset.s) + [...range.toString()].length - past;
  return place < Number(token.dataset.e) ? place : null;
}

document.addEventListener("pointermove", (event) => {
  const token = event.target.closest?.("#result [data-s]");
  if (!token) return light(null, null);
  const place = character(token, event.clientX, event.clientY);
  return place === null ? light(Number(token.dataset.s), Number(token.dataset.e)) : light(place, place + 1);
});
document.documentElement.addEventListener("pointerleave", () => light(null, null));

// Announce the tokens of every column over a token, for screen readers.
function announce(token) {
  const counts = new Map();
  for (const one of lit) {
    const name = one.closest("[data-tokenizer], tr")?.querySelector("h3, th").textContent;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const text = token.textContent || token.dataset.label;
  said.textContent = `${text}: ${[...counts].map(([name, count]) => `${name} ${count}`).join(", ")}`;
}

document.addEventListener("keydown", (event) => {
  const text = event.target.closest?.(".col .text");
  if (!text || event.target !== text || event.ctrlKey || event.metaKey || event.altKey) return;
  const tokens = [...text.querySelectorAll("[data-s]")];
  const at = tokens.findIndex((token) => token.classList.contains("here"));
  const step = getComputedStyle(text).direction === "rtl" ? -1 : 1;
  const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: tokens.length - 1 }[event.key];
  if (to === undefined || !tokens.length) return;
  event.preventDefault();
  const token = tokens[Math.min(Math.max(to, 0), tokens.length - 1)];
  tokens[at]?.classList.remove("here");
  token.classList.add("here");
  light(Number(token.dataset.s), Math.max(Number(token.dataset.e), Number(token.dataset.s) + 1));
  token.scrollIntoView({ block: "nearest" });
  announce(token);
});

document.addEventListener("focusout", (event) => {
  if (event.target.matches?.(".col .text")) light(null, null);
});
document.addEventListener("htmx:after:swap", () => light(null, null));
