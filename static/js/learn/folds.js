// Formula and code are open by choice, which this browser remembers for every scene.

import { keep, read } from "./stored.js";

const KEY = "tokenarium-folds";
const boxes = [...document.querySelectorAll(".learn-folds input")];

const open = new Set(read(KEY, []));
for (const box of boxes) {
  box.checked = open.has(box.id);
  box.addEventListener("change", () => {
    open[box.checked ? "add" : "delete"](box.id);
    keep(KEY, [...open]);
  });
}
