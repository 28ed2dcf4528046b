// The lecture as a list of its items, and every change of it, which can be undone.

import { warm } from "./pictures.js";
import { current, KEY, read, write } from "./store.js";

const MOST_UNDONE = 50;
const byId = (id) => document.getElementById(id);
const list = byId("items");
const past = []; // states before each change of the order or the number of items

export function tell(message, undoable = false) {
  byId("said").textContent = message;
  byId("undo").hidden = !(undoable && past.length);
}

// Change the lectures, show them, and say what was done. What is typed into a field is no such change.
export function change(act, message = "") {
  const state = read();
  past.push(structuredClone(state));
  if (past.length > MOST_UNDONE) past.shift();
  const done = act(current(state).items, state) ?? message;
  save(state);
  show();
  tell(done, true);
}

export function save(state) {
  if (!write(state)) tell("This browser keeps nothing, or its storage is full: download the lecture before you leave.");
  measure(current(state));
}

export function undo() {
  const before = past.pop();
  if (!before) return;
  save(before);
  show();
  tell("Undone.", true);
}

function measure({ items }) {
  const minutes = items.reduce((sum, item) => sum + item.minutes, 0);
  byId("length").textContent = items.length ? `${items.length} ${items.length === 1 ? "item" : "items"}${minutes ? `, ${minutes} minutes` : ""}` : "";
  byId("no-items").hidden = items.length > 0;
  byId("present").disabled = !items.length;
}

function row(item, at, { length }) {
  const one = byId("item").content.firstElementChild.cloneNode(true);
  const find = (selector) => one.querySelector(selector);
  const name = `item ${at + 1}, ${item.title || "without a title"}`;
  for (const field of one.querySelectorAll("[data-field]")) {
    field.value = item[field.dataset.field] || "";
    if (!field.closest("label")) field.setAttribute("aria-label", `${{ title: "Title", text: "Text", steps: "Steps" }[field.dataset.field]} of ${name}`);
  }
  for (const button of one.querySelectorAll("[data-do]")) {
    const label = { up: "Move up", down: "Move down", present: "Present from here", remove: "Remove", picture: "Add a picture" }[button.dataset.do];
    button.setAttribute("aria-label", `${label}: ${name}`);
  }
  find("[data-do=up]").disabled = at === 0;
  find("[data-do=down]").disabled = at === length - 1;
  find("[data-field=text]").hidden = Boolean(item.address);
  find(".lecture-picture").hidden = Boolean(item.address);
  find("[data-field=steps]").hidden = !/^\/(learn\/|steps)/.test(item.address);
  Object.assign(find(".lecture-address"), item.address ? { href: item.address, textContent: decode(item.address) } : { textContent: "Text slide" });
  return one;
}

// An address as one reads it: without what is packed behind the #.
function decode(address) {
  const [shown] = address.split("#");
  try {
    return decodeURIComponent(shown.replaceAll("+", " "));
  } catch {
    return shown;
  }
}

// What has the focus keeps it.
export function show() {
  const state = read();
  const focus = place(document.activeElement);
  const { items, title } = current(state);
  list.replaceChildren(...items.map(row));
  byId("title").value = title;
  byId("lectures").replaceChildren(...state.lectures.map((one, at) => new Option(one.title, at, at === state.at, at === state.at)));
  measure(current(state));
  if (focus) list.children[Math.min(focus.at, items.length - 1)]?.querySelector(focus.selector)?.focus();
}

export const indexOf = (element) => [...list.children].indexOf(element?.closest?.(".lecture-item"));

function place(element) {
  const at = indexOf(element);
  const { field, do: act } = element?.dataset ?? {};
  return at < 0 || !(field || act) ? null : { at, selector: field ? `[data-field=${field}]` : `[data-do=${act}]` };
}

addEventListener("storage", ({ key }) => key === KEY && show()); // changed by another tab
show();
warm(current().items);
