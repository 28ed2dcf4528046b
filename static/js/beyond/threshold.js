// The limit that entropies must exceed, moved by a slider, or dragged up and down on the chart; a finger scrolls there.

import { follow } from "../typing.js";

const FIELD = { global: "threshold", combined: "threshold", monotonic: "rise" };
const DRAWN = 100 / 18; // nats from the bottom to the top of the chart
let drag;

const slider = (name) => document.querySelector(`[data-sets=${name}]`);

function set(name, value) {
  const range = slider(name);
  range.value = value;
  document.getElementById(name).value = `${+Number(range.value).toFixed(2)}`;
  follow();
}

document.addEventListener("input", ({ target }) => {
  if (target.dataset.sets) set(target.dataset.sets, target.value);
  else if (target.id && slider(target.id)) slider(target.id).value = target.value;
});

document.addEventListener("pointerdown", (event) => {
  const bars = event.target.closest(".cells .bars");
  const name = bars && FIELD[bars.closest(".cells").dataset.rule];
  if (!name || event.button || event.pointerType === "touch") return;
  event.preventDefault();
  drag = { name, from: Number(document.getElementById(name).value), y: event.clientY, height: bars.clientHeight };
});

document.addEventListener("pointermove", ({ clientY }) => {
  if (drag) set(drag.name, Math.max(0, drag.from + ((drag.y - clientY) / drag.height) * DRAWN));
});

for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => (drag = undefined));
