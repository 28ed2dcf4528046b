// Move an item: with the buttons, with Alt and an arrow, or by its grip with the pointer.

import { change, indexOf, undo } from "./list.js";

const list = document.getElementById("items");
const place = ({ target }) => target.closest(".lecture-item");
let dragged = null;

// The control with which the item was moved keeps the focus, or its neighbour where it is the first or the last now.
function move(from, to, control) {
  if (from === to || to < 0 || to >= list.children.length) return;
  change((items) => {
    items.splice(to, 0, ...items.splice(from, 1));
    return `“${items[to].title || "Without a title"}” is item ${to + 1} of ${items.length} now.`;
  });
  const moved = list.children[to];
  const button = control && moved.querySelector(control);
  if (button) (button.disabled ? moved.querySelector("[data-do=up]:enabled, [data-do=down]:enabled") : button).focus();
}

list.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do=up], [data-do=down]");
  if (!button) return;
  const at = indexOf(button);
  move(at, at + (button.dataset.do === "up" ? -1 : 1), `[data-do=${button.dataset.do}]`);
});

document.addEventListener("keydown", (event) => {
  const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
  const at = indexOf(target);
  const by = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (altKey && !ctrlKey && by && at >= 0) {
    event.preventDefault();
    const { field, do: act } = target.dataset;
    move(at, at + by, field ? `[data-field=${field}]` : `[data-do=${act}]`);
  }
  if ((ctrlKey || metaKey) && !shiftKey && key === "z" && !target.matches("input, textarea")) event.preventDefault(), undo();
});

document.getElementById("undo").addEventListener("click", undo);

// Whether the pointer is in the lower half of an item.
function below(event) {
  const { top, height } = place(event).getBoundingClientRect();
  return event.clientY > top + height / 2;
}

function mark(event) {
  for (const one of list.children) one.classList.remove("before", "after");
  const over = event && place(event);
  if (over && over !== dragged) over.classList.add(below(event) ? "after" : "before");
}

list.addEventListener("dragstart", (event) => {
  if (!event.target.matches?.(".lecture-grip")) return;
  dragged = place(event);
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.querySelector("[data-field=title]").value);
  event.dataTransfer.setDragImage(dragged, 0, 0);
});
list.addEventListener("dragover", (event) => {
  if (!dragged) return;
  event.preventDefault();
  mark(event);
});
list.addEventListener("drop", (event) => {
  if (!dragged || !place(event)) return;
  event.preventDefault();
  const from = indexOf(dragged);
  const to = indexOf(event.target) + (below(event) ? 1 : 0);
  move(from, to > from ? to - 1 : to);
});
list.addEventListener("dragend", () => {
  dragged = null;
  mark();
});
