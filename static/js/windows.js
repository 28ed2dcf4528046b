// A long text waits as plain text and is cut into tokens, window by window, where it comes into view; at most two are
// asked for at a time, the newest wish first. Windows far away become plain again, so that memory stays small.

import { part, result } from "./part.js";

const [AT_ONCE, KEPT] = [2, 24];
const PAUSE = 80; // milliseconds; what has been scrolled past by then is not asked for
const wanted = new Set();
const asked = new Map(); // plain window -> the promise of the cut one
const plain = new Map(); // cut window -> the plain one it stands for
let resting = 0;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) isIntersecting ? wanted.add(target) : wanted.delete(target);
  resting ||= setTimeout(pump, PAUSE);
}, { rootMargin: "500px 0px" });

const announce = (window) => window.dispatchEvent(new CustomEvent("shown", { bubbles: true }));

function pump() {
  resting = 0;
  while (asked.size < AT_ONCE && wanted.size) cut([...wanted].at(-1));
}

function cut(section) {
  wanted.delete(section);
  near.unobserve(section);
  if (!asked.has(section)) {
    asked.set(section, replace(section).finally(() => {
      asked.delete(section);
      pump();
    }));
  }
  return asked.get(section);
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

// The window that holds a token, cut.
export async function reach(index) {
  const holds = ({ dataset }) => Number(dataset.start) <= index && index < Number(dataset.stop);
  const section = [...result.querySelectorAll(".window")].find(holds);
  return section?.matches(".wait") ? cut(section) : section;
}

function begin() {
  wanted.clear();
  near.disconnect();
  result.querySelectorAll(".window.wait").forEach((section) => near.observe(section));
  result.querySelectorAll(".window.cut").forEach(announce);
}

result.addEventListener("click", (event) => {
  const waiting = event.target.closest("button[name=window]")?.closest(".window");
  if (waiting) event.preventDefault(), cut(waiting);
});

document.addEventListener("htmx:after:swap", begin);
begin();
