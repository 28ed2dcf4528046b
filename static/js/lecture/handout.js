// The lecture that is edited as a handout: each item with its pictures, its claim or its text, notes and sources.

import { slideOf } from "./markdown.js";
import { pictures, scenes } from "./pictures.js";
import { current } from "./store.js";

const LINES = 5;
const byId = (id) => document.getElementById(id);
function paragraphs(words) {
  return words.split(/\n\s*\n|\n/).filter((one) => one.trim()).map((one) => Object.assign(document.createElement("p"), { textContent: one }));
}

// Lines to write on.
function lines() {
  return Array.from({ length: LINES }, () => Object.assign(document.createElement("div"), { className: "handout-rule" }));
}

async function slide(item) {
  const text = Object.assign(document.createElement("div"), { className: "own-slide" });
  text.append(await slideOf(item));
  return { texts: [text], figures: [], sources: null };
}

async function fill(part, found) {
  const { texts, figures, sources } = await found;
  part.querySelector(".handout-start").append(...texts);
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
  byId("print").disabled = false;
  byId("said").textContent = !items.length ? "This lecture has no items yet." : missing ? `${missing} of ${items.length} items have no picture: their pages cannot be opened.` : `Ready to print: ${items.length} ${items.length === 1 ? "item" : "items"}.`;
}

byId("with-notes").addEventListener("change", ({ target }) => byId("handout").classList.toggle("without-notes", !target.checked));
byId("print").addEventListener("click", () => print());
make();
