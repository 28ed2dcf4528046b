// The stage of Steps and of the scenes: the largest tiles with which a step fits on its slide. A step that is longer than
// a slide takes several.

import { placeIn } from "./bands.js";
import { isUpright, placeCanvas, scaleOfCanvas, setRem } from "./canvas.js";
import { splitWideTables } from "./columns.js";
import { raiseLetters } from "./letters.js";
import { presenting } from "./mode.js";
import { pagesOf, showPage } from "./pages.js";

const SIZES = [150, 132, 116, 102, 90, 79, 69, 61, 54, 48, 44]; // units of a tile's letters
const box = () => document.querySelector("[data-fit]");
let [pages, at, size] = [[], 0, 0];

const hasRoom = (one, height) => one.scrollHeight <= height + 1 && one.scrollWidth <= one.clientWidth + 1;
const isInOneLine = (row) => row.clientHeight < 1.9 * Math.max(...[...row.children].map((one) => one.offsetHeight));

// The first slide with what is new, so that a long run shows where it acts; of a question that is asked again, its own.
function pageOfNews(one) {
  const asked = one.querySelector(".predict:not([data-answer]) .verdict:not(:empty)");
  const news = asked ?? [...one.querySelectorAll(".line.lit, .rows .new")].find((each) => each.checkVisibility());
  const edge = one.getBoundingClientRect().top;
  const top = news && (news.getBoundingClientRect().top - edge) / scaleOfCanvas() + one.scrollTop;
  return news ? Math.max(0, pages.findIndex(({ from, to }) => top >= from - 1 && top < to)) : 0;
}

// A caption has two lines, or as many as a screen that is held upright needs.
function fitCaption(main) {
  const caption = main.querySelector("p.caption");
  const range = document.createRange();
  if (!caption) return;
  range.selectNodeContents(caption);
  for (const value of [52, 46, 40]) {
    main.style.setProperty("--caption", `${value}px`);
    const height = range.getBoundingClientRect().height / scaleOfCanvas();
    main.style.setProperty("--said", `${height}px`);
    if (height < 2.9 * value) return;
  }
}

function fitFormula(one) {
  for (const value of [96, 84, 72, 62, 54, 46, 40, 32, 26, 21]) {
    one.style.setProperty("--formula", `${value}px`);
    if (one.scrollWidth <= one.clientWidth + 1) return;
  }
}

// The first layout in which the step has room: its table below its picture or, with smaller tiles, beside it; its question
// or answer below its picture, beside it, or with smaller letters, so that all see both. Where a slide has no room for all,
// rows and picture stay together.
function sizeFor(one, height, from) {
  const rows = [...one.querySelectorAll(".rows > .row")].filter((row) => row.checkVisibility());
  const sizes = SIZES.filter((value) => value <= from);
  const asks = Boolean(one.querySelector(".learn-view > .predict")?.checkVisibility());
  const has = { below: true, beside: one.querySelector(".learn-view .beside > *"), asked: asks && !isUpright() };
  const tried = (least, layout, good) => {
    if (!has[layout]) return undefined;
    one.dataset.layout = layout;
    return sizes.find((value) => {
      if (value < Math.min(least, from)) return false;
      one.style.setProperty("--fit", `${value}px`);
      return good(value);
    });
  };
  const whole = () => hasRoom(one, height);
  const inLines = () => whole() && rows.every(isInOneLine);
  const picture = () => rows.every(isInOneLine) && (one.querySelector(".rows")?.clientHeight ?? 0) < height;
  const drawing = one.querySelector(".lattice");
  const setFigure = (height) => one.style.setProperty("--figure", `${height}px`);
  const drawn = () => placeIn(one, drawing.getBoundingClientRect()).bottom < height - 16;
  const together = (height) => {
    setFigure(height);
    return tried(44, "below", drawn);
  };
  const figured = (height) => {
    setFigure(height);
    return tried(79, "below", inLines) ?? tried(54, "beside", inLines) ?? tried(54, "below", inLines) ?? tried(44, "beside", inLines);
  };
  const all = () => figured(620) ?? (drawing && (figured(480) ?? figured(420) ?? figured(360))) ?? tried(44, "below", whole) ?? tried(44, "beside", whole)
    ?? tried(44, "asked", inLines) ?? tried(44, "asked", whole) ?? (drawing && (setFigure(300), tried(44, "asked", whole)));
  const tight = () => {
    one.toggleAttribute("data-tight", asks);
    return asks ? all() : undefined;
  };
  one.removeAttribute("data-tight");
  const size = all() ?? tight() ?? (drawing && (together(360) ?? together(280) ?? together(220))) ?? tried(44, "below", picture) ?? sizes.at(-1);
  one.style.setProperty("--fit", `${size}px`);
  return size;
}

// Lay the step out anew. While a run goes on, the size only shrinks: a text that grew at every merge would be restless.
export function fit({ anew = false } = {}) {
  const one = box();
  if (!one) return;
  one.closest("main").classList.toggle("canvas", presenting());
  if (!presenting()) return void one.style.removeProperty("height");
  placeCanvas();
  setRem(44);
  fitCaption(one.closest("main"));
  one.style.height = "";
  one.scrollTop = 0;
  const height = one.clientHeight;
  fitFormula(one);
  raiseLetters(one);
  splitWideTables(one, one.clientWidth);
  size = sizeFor(one, height, anew || !size ? SIZES[0] : size);
  raiseLetters(one);
  pages = hasRoom(one, height) ? [] : pagesOf(one, height);
  showPart(pageOfNews(one));
}

function showPart(to) {
  at = to;
  const one = box();
  if (pages.length) showPage(one, pages[at]);
  const note = pages.length > 1 ? [pages[at].note, `part ${at + 1} of ${pages.length}`].filter(Boolean).join(", ") : pages[0]?.note ?? "";
  one.dataset.part = note;
  one.closest("main").querySelector(".counter")?.setAttribute("data-note", note);
}

// Turn to another part of a step that takes several; false beyond them.
export function turnPart(by) {
  if (!presenting() || !pages[at + by]) return false;
  showPart(at + by);
  return true;
}

const renew = () => fit({ anew: true });
for (const event of ["presented", "htmx:after:swap", "canvas"]) document.addEventListener(event, renew);
document.fonts.addEventListener("loadingdone", renew);
