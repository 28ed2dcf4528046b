// Tokenizers are added and removed with one click; eight at most.

import { tokenize } from "../typing.js";

const MAX_TOKENIZERS = 8;
const order = document.querySelector("input[name=order]");
const boxes = [...document.querySelectorAll("input[name=tokenizer]")];

// Columns keep the order in which they were added.
function settle() {
  const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
  const before = order.value.split(" ").filter((id) => chosen.includes(id));
  order.value = [...before, ...chosen.filter((id) => !before.includes(id))].join(" ");
  const full = chosen.length >= MAX_TOKENIZERS;
  for (const box of boxes) box.disabled = full && !box.checked;
  document.getElementById("full").hidden = !full;
}

function next(column) {
  const other = column.nextElementSibling ?? column.previousElementSibling;
  return other?.dataset.tokenizer;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=remove]");
  if (!button) return;
  event.preventDefault();
  const box = boxes.find((one) => one.value === button.value);
  const then = next(button.closest(".col"));
  if (box) box.checked = false;
  settle();
  document.addEventListener("htmx:after:swap", () => {
    (document.querySelector(`button[name=remove][value="${CSS.escape(then ?? "")}"]`) ?? box)?.focus();
  }, { once: true });
  tokenize();
});

document.addEventListener("change", (event) => {
  if (boxes.includes(event.target)) settle();
  if (event.target.name === "baseline") document.querySelector("[type=hidden][name=baseline]").value = event.target.value;
});

document.getElementById("lab").addEventListener("restored", settle);
settle();
