// A page that a lecture shows in a frame: it presents itself, says to the page of the lecture (presentation.js) what is on
// the screen, and goes beyond its first and last slide to the items beside it.

import { packed } from "../pack.js";
import { slideNow } from "../presenter/events.js";
import { frame } from "../presenter/framed.js";
import { present } from "../presenter/mode.js";
import { talk } from "../presenter/talk.js";

const MOVES = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
const LONGEST = 5000; // milliseconds until it begins without what the address holds
const shown = new Map(); // the last event of each kind

const send = (type, detail) => parent.document.dispatchEvent(new CustomEvent(type, { detail }));

// What a frame says that is loaded ahead is heard when it is shown.
function tell({ type, detail }) {
  if (type === "asked") shown.delete("revealed");
  if (type === "slide" && shown.delete("revealed")) shown.delete("asked");
  shown.delete(type);
  shown.set(type, detail);
  if (!frame.inert) send(type, detail);
  else if (type === "slide") send("ahead"); // the slide that comes next may be seen now
}

function press(event) {
  if (event.target.closest?.("textarea, select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = frame.item.steps === "one" ? MOVES[event.key] : 0;
  if (!by && !/^[hs[\]]$/i.test(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (by) send("lecture:go", by);
  else parent.document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
}

// A scene would go on to the next scene of the course.
function turn(event) {
  const link = event.target.closest?.("#next-scene, #previous-scene");
  if (link) pass(event, link.id === "next-scene" ? 1 : -1);
}

function pass(event, by) {
  event.preventDefault();
  send("lecture:go", by);
}

// The answer of the question that it begins with, which the audience had seen before a reload or on the way back.
async function answer() {
  const button = document.getElementById("show-answer");
  if (!button) return;
  const swapped = button.form && new Promise((done) => { document.addEventListener("htmx:after:swap", done, { once: true }); });
  button.click();
  await swapped;
}

async function begin() {
  document.title = frame.item.title || document.title;
  present(true);
  if (frame.answered) await answer();
  Object.assign(frame, { talk, go });
  if (frame.goal && frame.goal !== slideNow()?.at) go(frame.goal);
  frame.dispatchEvent(new Event("begun"));
}

// A stage counts its steps from 0, a deck its slides from 1. The last one is Infinity.
function go(slide) {
  if (slide === Infinity) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
  else talk.go(document.querySelector("[data-fit]") ? slide - 1 : slide);
}

// What the address holds behind the # is on the page a moment later.
function arrive() {
  const arrival = document.querySelector("[data-arriving]") ? "arrived" : packed() && "htmx:after:swap";
  if (!arrival) return begin();
  const timer = setTimeout(begin, LONGEST);
  return document.addEventListener(arrival, () => clearTimeout(timer) ?? begin(), { once: true });
}

if (frame) {
  for (const kind of ["slide", "asked", "revealed"]) document.addEventListener(kind, tell);
  frame.addEventListener("shown", () => [...shown].forEach(([kind, detail]) => send(kind, detail)));
  addEventListener("keydown", press, { capture: true });
  document.addEventListener("click", turn, { capture: true });
  for (const [name, by] of [["deck:end", 1], ["deck:begin", -1]]) document.addEventListener(name, (event) => pass(event, by));
  document.addEventListener("DOMContentLoaded", arrive); // all behaviours of the page listen by then
}
