// While a lecture is presented, its items follow each other over their pages: beyond the last slide of one comes the
// next, before the first the one before; ] and [ go there at once. The end of the presentation leads back to the lecture.

import { packed } from "../pack.js";
import { present, presenting } from "../presenter/mode.js";

const [KEY, NOTES] = ["tokenarium.lecture", "tokenarium.notes"]; // in this tab; the notes are for the speaker
const MOVES = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
const LONGEST = 5000; // milliseconds until it begins without what the address holds
const SKIPS = { "]": 1, "[": -1 };
const lecture = read();
const item = lecture?.items[lecture.at];
let leaving = false;

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

// Only a fragment that is new is no new page yet.
function open(address) {
  leaving = true;
  const { href, pathname, search } = new URL(address, location.origin);
  const same = pathname + search === location.pathname + location.search;
  location.assign(href);
  if (same) location.reload();
}

function go(by) {
  const at = lecture.at + by;
  if (leaving || !lecture.items[at]) return;
  sessionStorage.setItem(KEY, JSON.stringify({ ...lecture, at, last: by < 0 && lecture.items[at].steps === "all" }));
  open(lecture.items[at].address);
}

function end() {
  if (presenting() || leaving) return;
  for (const key of [KEY, NOTES]) sessionStorage.removeItem(key);
  open(`/lecture?item=${lecture.at + 1}`);
}

function press(event) {
  const by = SKIPS[event.key] ?? (item.steps === "one" ? MOVES[event.key] : 0);
  if (!by || !presenting() || event.target.closest?.("textarea, select, input")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  go(by);
}

function begin() {
  sessionStorage.setItem(NOTES, item.notes);
  document.title = `${lecture.at + 1} of ${lecture.items.length} · ${item.title}`;
  present(true);
  if (lecture.last) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
}

// What the address holds behind the # is on the page a moment later.
function arrive() {
  const arrival = document.querySelector("[data-arriving]") ? "arrived" : packed() && "htmx:after:swap";
  if (!arrival) return begin();
  const timer = setTimeout(begin, LONGEST);
  return document.addEventListener(arrival, () => clearTimeout(timer) ?? begin(), { once: true });
}

// A scene would go on to the next scene of the course.
function pass(event, by) {
  event.preventDefault();
  go(by);
}

function turn(event) {
  const link = event.target.closest?.("#next-scene, #previous-scene");
  if (link && presenting()) pass(event, link.id === "next-scene" ? 1 : -1);
}

if (item && new URL(item.address, location.origin).pathname === location.pathname) {
  addEventListener("keydown", press, { capture: true });
  addEventListener("beforeunload", () => (leaving = true));
  document.addEventListener("click", turn, { capture: true });
  for (const [name, by] of [["deck:end", 1], ["deck:begin", -1]]) document.addEventListener(name, (event) => pass(event, by));
  document.addEventListener("presented", end);
  document.addEventListener("DOMContentLoaded", arrive); // all behaviours of the page listen by then
}
