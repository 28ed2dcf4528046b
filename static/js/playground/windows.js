// A long text is plain text at first. Each window is tokenized when it comes into view; at most two are requested at a
// time, the latest first. Windows far away become plain again, so that memory stays small.

import { part, result } from "../part.js";

const [AT_ONCE, KEPT] = [2, 24];
const PAUSE = 80; // milliseconds; windows scrolled past by then are not requested
const wanted = new Set();
const pending = new Map(); // plain window -> the promise of its tokenized one
const plain = new Map(); // tokenized window -> the plain one it replaces
let resting = 0;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) isIntersecting ? wanted.add(target) : wanted.delete(target);
  resting ||= setTimeout(pump, PAUSE);
}, { rootMargin: "500px 0px" });

const announce = (window) => window.dispatchEvent(new CustomEvent("shown", { bubbles: true }));

function pump() {
  resting = 0;
  while (pending.size < AT_ONCE && wanted.size) tokenizeWindow([...wanted].at(-1));
}

function tokenizeWindow(section) {
  wanted.delete(section);
  near.unobserve(section);
  if (!pending.has(section)) {
    pending.set(section, replace(section).finally(() => {
      pending.delete(section);
      pump();
    }));
  }
  return pending.get(section);
}

async function replace(section) {
  const fresh = await part("/window", { window: section.dataset.n });
  if (!section.isConnected || !fresh?.matches(".window")) return section;
  section.replaceWith(fresh);
  plain.set(fresh, section);
  announce(fresh);
  letGo(fresh);
  return fresh;
}

function letGo(newest) {
  for (const shown of plain.keys()) if (!shown.isConnected) plain.delete(shown);
  const far = (shown) => Math.abs(shown.getBoundingClientRect().top);
  const idle = [...plain.keys()].filter((shown) => shown !== newest && !shown.contains(document.activeElement));
  for (const shown of idle.sort((a, b) => far(b) - far(a)).slice(0, Math.max(0, plain.size - KEPT))) {
    const waiting = plain.get(shown);
    waiting.style.minHeight = `${shown.offsetHeight}px`;
    shown.replaceWith(waiting);
    plain.delete(shown);
    near.observe(waiting);
  }
}

// The tokenized window that holds a token.
export async function reach(index) {
  const holds = ({ dataset }) => Number(dataset.start) <= index && index < Number(dataset.stop);
  const section = [...result.querySelectorAll(".window")].find(holds);
  return section?.matches(".wait") ? tokenizeWindow(section) : section;
}

function begin() {
  wanted.clear();
  near.disconnect();
  result.querySelectorAll(".window.wait").forEach((section) => near.observe(section));
  result.querySelectorAll(".window.cut").forEach(announce);
}

result.addEventListener("click", (event) => {
  const waiting = event.target.closest("button[name=window]")?.closest(".window");
  if (waiting) event.preventDefault(), tokenizeWindow(waiting);
});

document.addEventListener("htmx:after:swap", begin);
begin();
