// Present a lecture as one document: each item is a page in a frame that fills the screen. The item before stays as it was
// left, and the next one is loaded ahead. Item, slide, the items whose question was answered and the time of the beginning
// are in the address, so that a reload goes on there.

import { present, presenting } from "../presenter/mode.js";
import { speakFor } from "../presenter/speaker.js";
import { current } from "./store.js";

const OWN = /^[hs]$/i; // keys of the hall and of the speaker's window; all others are those of the item
const SKIPS = { "]": 1, "[": -1 };
const stage = Object.assign(document.createElement("div"), { className: "lecture-stage" });
const frames = new Map(); // by the place of their item
const { title } = document;
const answered = new Set(); // numbers of items, from 1, whose question shows its answer
const AGAIN = 1_000; // milliseconds until an item is loaded again that could not be
const held = []; // keys pressed while an item loads, for the item
let [items, at, begun, slide, waiting] = [[], 0, 0, null, null];

export function start(from = 0) {
  history.replaceState(null, "", `${location.pathname}?item=${from + 1}`);
  present(true);
}

function frameOf(place) {
  const item = items[place];
  if (!item || frames.has(place)) return frames.get(place);
  const frame = Object.assign(document.createElement("iframe"), { item, answered: answered.has(place + 1), inert: true, title: item.title || "Text slide", src: item.address || `/lecture/slide?item=${place + 1}` });
  frame.addEventListener("load", () => {
    if (!frame.contentDocument?.querySelector("main")) return void setTimeout(() => frame.isConnected && frame.setAttribute("src", frame.src), AGAIN);
    return place === at && !waiting && attend(frame);
  });
  frame.addEventListener("begun", () => waiting === frame && show(place, frame.goal));
  frames.set(place, frame);
  stage.append(frame);
  return frame;
}

// `goal` is the slide of the item, from 1 to Infinity, or none: as it was left. The slide stays until that item has begun.
function show(to, goal = 0) {
  const frame = frameOf(to);
  if (!frame) return;
  frame.goal = goal;
  waiting = frame.talk || !frames.get(at)?.talk ? null : frame;
  if (waiting) return void document.activeElement?.blur(); // this page then takes the keys
  at = to;
  if (goal) frame.go?.(goal);
  for (const [place, one] of frames) {
    one.inert = one !== frame;
    if (Math.abs(place - at) > 1) one.remove(), frames.delete(place);
  }
  stage.dataset.title = items[at].title; // seen until the frame is painted
  document.title = `${at + 1} of ${items.length} · ${items[at].title}`;
  write(goal || 1);
  if (frame.talk) attend(frame);
  frame.dispatchEvent(new Event("shown"));
  while (held.length && !waiting) pass(held.shift());
}

function pass(key) {
  frames.get(at).contentDocument?.body?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

// The frame that is shown takes the keys once it has loaded: before, this page takes those of the hall.
function attend(frame) {
  frame.contentWindow.focus();
  frameOf(at + 1);
}

function write(number) {
  const state = { item: at + 1, slide: Number.isFinite(number) ? number : 1, begun, ...(answered.size && { answered: [...answered].join(".") }) };
  history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(state)}`);
}

function begin() {
  const query = new URLSearchParams(location.search);
  const number = (name) => Number(query.get(name)) || 0;
  ({ items } = current());
  if (!items.length) return present(false);
  begun = number("begun") || Math.round(Date.now() / 1000);
  for (const one of query.get("answered")?.split(".") ?? []) answered.add(Number(one));
  document.body.append(stage);
  return show(Math.min(Math.max(number("item"), 1), items.length) - 1, number("slide"));
}

function end() {
  if (!stage.isConnected) return;
  for (const frame of frames.values()) frame.remove();
  frames.clear();
  answered.clear();
  held.splice(0);
  waiting = null;
  stage.remove();
  document.title = title;
  history.replaceState(null, "", location.pathname);
  document.querySelectorAll(".lecture-item [data-do=present]")[at]?.focus();
}

// Keys that reach this page, or come from the window of the speaker, are those of the item.
function press(event) {
  const { key } = event;
  if (!presenting() || !stage.isConnected || OWN.test(key)) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  if (SKIPS[key]) held.splice(0), show(at + SKIPS[key]);
  else if (waiting && key !== "Escape") held.push(key);
  else pass(key);
}

function canvasOf(page) {
  const node = page?.querySelector(".deck, main.canvas");
  return node ? { node, rem: parseFloat(getComputedStyle(page.documentElement).fontSize), top: 0 } : null;
}

speakFor({
  page: () => frames.get(at)?.contentDocument ?? document,
  slide: () => slide,
  next: async () => (items[at].steps !== "one" && (await frames.get(at)?.talk?.preview())) || canvasOf(frames.get(at + 1)?.contentDocument),
  notes: () => items[at]?.notes.split("\n") ?? [],
  begun: () => begun * 1000,
});
document.addEventListener("slide", ({ detail }) => {
  slide = detail;
  if (stage.isConnected) write(detail.at);
});
document.addEventListener("revealed", () => {
  answered.add(at + 1);
  write(slide?.at ?? 1);
});
document.addEventListener("lecture:go", ({ detail: by }) => show(at + by, by < 0 && items[at + by]?.steps === "all" ? Infinity : 0));
document.addEventListener("lecture:end", () => present(false));
document.addEventListener("presented", () => (presenting() ? begin() : end()));
addEventListener("keydown", press, { capture: true });
if (new URLSearchParams(location.search).has("begun")) addEventListener("load", () => present(true));
