// The lecture that is edited as a handout: each item with its pictures, its claim or its text, notes and sources.

import { slideOf } from "./markdown.js";
import { pictures, scenes } from "./pictures.js";
import { current } from "./store.js";

const LINES = 5;
const HIGHEST = 560; // pixels: 148 mm, more than half of a page
const EDGES = 18; // pixels: the padding of a figure, and what is lost by rounding
const LEGIBLE = 0.75; // of its size, the smallest picture
const byId = (id) => document.getElementById(id);
function paragraphs(words) {
  return words.split(/\n\s*\n|\n/).filter((one) => one.trim()).map((one) => Object.assign(document.createElement("p"), { textContent: one }));
}

// Lines to write on.
function lines() {
  return Array.from({ length: LINES }, () => Object.assign(document.createElement("div"), { className: "handout-rule" }));
}

const across = (figure) => (figure.clientWidth - EDGES) / figure.firstElementChild.scrollWidth;

// Print cannot scroll. A picture that is too wide takes the whole width, then it is drawn smaller.
// What is measured of all is measured before any is changed.
function fit(figures) {
  for (const figure of figures.filter((one) => across(one) < LEGIBLE)) figure.classList.add("wide");
  const ratios = figures.map((figure) => Math.min(across(figure), HIGHEST / figure.firstElementChild.scrollHeight));
  for (const [at, ratio] of ratios.entries()) if (ratio < 1) figures[at].firstElementChild.style.zoom = ratio;
}

async function slide(item) {
  const text = Object.assign(document.createElement("div"), { className: "own-slide" });
  text.append(await slideOf(item));
  return { texts: [text], figures: [], sources: null };
}

async function fill(part, found) {
  const { texts, figures, sources } = await found;
  part.querySelector(".handout-start").append(...texts);
  part.querySelector(".handout-pictures").classList.toggle("several", figures.length > 1);
  part.querySelector(".handout-pictures").append(...figures);
  if (sources) part.querySelector(".handout-notes").after(sources);
  await Promise.all([...part.querySelectorAll("img")].map((one) => one.decode()));
}

function build(item, at) {
  const part = byId("part").content.firstElementChild.cloneNode(true);
  const find = (selector) => part.querySelector(selector);
  find("h2").textContent = `${at + 1}. ${item.title}`;
  if (item.notes.trim()) find(".handout-notes").append(...paragraphs(item.notes));
  find(".handout-notes").classList.toggle("own", Boolean(item.notes.trim()));
  find(".handout-notes").append(...lines());
  if (item.address) find(".handout-address").append(Object.assign(document.createElement("a"), { href: item.address, textContent: location.origin + item.address.split("#")[0] }));
  return part;
}

async function make() {
  const { title, items } = current();
  const parts = items.map(build);
  byId("handout").replaceChildren(Object.assign(document.createElement("h1"), { textContent: title }), ...parts);
  document.title = `${title}: handout`;
  byId("print").disabled = true;
  byId("said").textContent = "Making the handout …";
  let missing = 0;
  const drawn = scenes(items);
  const found = async (item, at) => (item.address ? (await drawn)[at] ?? pictures(item) : slide(item));
  await Promise.all(items.map((item, at) => fill(parts[at], found(item, at)).catch(({ message }) => {
    missing += 1;
    parts[at].querySelector(".handout-pictures").append(...paragraphs(`This picture is missing: ${message}`));
  })));
  fit([...document.querySelectorAll(".handout-pictures figure")]);
  byId("print").disabled = false;
  byId("said").textContent = !items.length ? "This lecture has no items yet." : missing ? `${missing} of ${items.length} items have no picture: their pages cannot be opened.` : `Ready to print: ${items.length} ${items.length === 1 ? "item" : "items"}.`;
}

byId("with-notes").addEventListener("change", ({ target }) => byId("handout").classList.toggle("without-notes", !target.checked));
byId("print").addEventListener("click", () => print());
make();
