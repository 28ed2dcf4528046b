// P presents the page as slides that fill the screen; keys and clickers turn them. Steps has a stage of its own.

import { keys } from "./keys.js";
import { slides } from "./deck.js";
import { present, presenting } from "./mode.js";

const [LARGEST, LEGIBLE, SMALLEST] = [0.06, 0.0375, 0.012]; // of the height of the screen, for the text of the root element
const STEP = 0.94;
const root = document.documentElement;
const deck = document.createElement("section");
let [groups, at] = [[], 0];

deck.className = "deck";
deck.setAttribute("aria-label", "Presentation");
deck.innerHTML = '<div class="slide" role="status"></div><p class="deck-foot"><span class="deck-title"></span> <span class="deck-place"></span></p>';
const slide = deck.firstElementChild;
const pages = () => Math.max(1, Math.ceil((slide.scrollHeight - 2) / slide.clientHeight));
const wide = () => slide.scrollWidth > slide.clientWidth + 1;
const tall = () => slide.scrollHeight > slide.clientHeight + 1;

// As large as it fits; what does not fit at a legible size is shown in several screens, never smaller for its length.
function fit() {
  const height = Math.min(innerHeight, innerWidth * 0.75);
  let size = LARGEST;
  const set = () => (root.style.fontSize = `${size * height}px`);
  for (set(); size > LEGIBLE && (wide() || tall()); set()) size = Math.max(LEGIBLE, size * STEP);
  for (; size > SMALLEST && wide(); set()) size *= STEP;
}

function show(to, { last = false } = {}) {
  at = Math.min(Math.max(to, 0), groups.length - 1);
  slide.replaceChildren(...(groups[at] ?? []).map((one) => one.cloneNode(true)));
  fit();
  slide.scrollTop = last ? slide.scrollHeight : 0;
  mark();
}

function mark() {
  const screen = Math.ceil((slide.scrollTop - 2) / slide.clientHeight) + 1;
  deck.querySelector(".deck-title").textContent = document.title;
  deck.querySelector(".deck-place").textContent = `${at + 1} of ${groups.length}${pages() > 1 ? `, screen ${screen} of ${pages()}` : ""}`;
}

function turn(by) {
  const before = slide.scrollTop;
  slide.scrollTop += by * slide.clientHeight;
  if (Math.abs(slide.scrollTop - before) > 1) mark();
  else if (at + by >= 0 && at + by < groups.length) show(at + by, { last: by < 0 });
}

function renew() {
  if (!presenting()) {
    deck.remove();
    root.style.fontSize = "";
    return;
  }
  groups = slides();
  document.body.append(deck);
  show(at);
}

document.addEventListener("click", ({ target }) => target.closest("[data-present]") && present());
if (!document.querySelector("[data-fit]")) {
  const within = (move) => (options) => (presenting() ? move(options) : false);
  const [on, back] = [within(() => turn(1)), within(() => turn(-1))];
  keys({
    ArrowRight: on, PageDown: on, " ": on, ArrowDown: on, ArrowLeft: back, PageUp: back, ArrowUp: back,
    Home: within(() => show(0)), End: within(() => show(groups.length - 1)),
    p: () => present(), Escape: within(() => present(false)),
  });
  document.addEventListener("presented", renew);
  document.addEventListener("htmx:after:swap", () => presenting() && renew());
  addEventListener("resize", () => presenting() && show(at));
}
