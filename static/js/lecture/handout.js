// The lecture that is edited as a handout: each item with its pictures, its claim or its text, notes and sources.

import { load, pictures } from "./pictures.js";
import { current } from "./store.js";

const LINES = 5;
const HIGHEST = 560; // pixels: 148 mm, more than half of a page
const EDGES = 18; // pixels: the padding of a figure, and what is lost by rounding
const LEGIBLE = 0.6; // of its size, the smallest picture
const byId = (id) => document.getElementById(id);
const text = (one) => one?.textContent.trim().replace(/\s+/g, " ") ?? "";

function paragraphs(words) {
  return words.split(/\n\s*\n|\n/).filter((one) => one.trim()).map((one) => Object.assign(document.createElement("p"), { textContent: one }));
}

// Lines to write on.
function lines() {
  return Array.from({ length: LINES }, () => Object.assign(document.createElement("div"), { className: "handout-rule" }));
}

const across = (figure) => (figure.clientWidth - EDGES) / figure.firstElementChild.scrollWidth;

// Print cannot scroll. A picture that is too wide takes the whole width, then its rows are broken, then it is drawn smaller.
function fit(figure) {
  for (const more of ["wide", "broken"]) if (across(figure) < LEGIBLE) figure.classList.add(more);
  const ratio = Math.min(across(figure), HIGHEST / figure.firstElementChild.scrollHeight);
  if (ratio < 1) figure.firstElementChild.style.zoom = ratio;
}

async function fill(part, item) {
  const find = (selector) => part.querySelector(selector);
  if (!item.address) return find(".handout-claim").replaceWith(...paragraphs(item.text));
  const page = await load(new URL(item.address, location.origin).pathname + new URL(item.address, location.origin).search);
  page.querySelector(".learn-claim .basis")?.remove();
  find(".handout-claim").textContent = text(page.querySelector(".learn-claim"));
  const figures = await pictures(item.address, page, item.steps === "one");
  find(".handout-pictures").classList.toggle("several", figures.length > 1);
  find(".handout-pictures").append(...figures);
  find(".handout-sources").append(...[...page.querySelectorAll(".learn-sources li")].map((one) => Object.assign(document.createElement("li"), { textContent: text(one) })));
  await Promise.all([...part.querySelectorAll("img")].map((one) => one.decode()));
  for (const figure of figures) fit(figure);
  return undefined;
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
  byId("handout").replaceChildren(Object.assign(document.createElement("h1"), { textContent: title }));
  document.title = `${title}: handout`;
  byId("print").disabled = true;
  let missing = 0;
  for (const [at, item] of items.entries()) {
    byId("said").textContent = `Making item ${at + 1} of ${items.length} …`;
    const part = build(item, at);
    byId("handout").append(part);
    await fill(part, item).catch(({ message }) => {
      missing += 1;
      part.querySelector(".handout-pictures").append(...paragraphs(`This picture is missing: ${message}`));
    });
  }
  byId("print").disabled = false;
  byId("said").textContent = !items.length ? "This lecture has no items yet." : missing ? `${missing} of ${items.length} items have no picture: their pages cannot be opened.` : `Ready to print: ${items.length} ${items.length === 1 ? "item" : "items"}.`;
}

byId("with-notes").addEventListener("change", ({ target }) => byId("handout").classList.toggle("without-notes", !target.checked));
byId("print").addEventListener("click", () => print());
make();
