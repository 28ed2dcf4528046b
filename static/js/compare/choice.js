// Tokenizers are added and removed with one click; eight at most.

import { tokenize } from "../typing.js";

const MAX_TOKENIZERS = 8;
const form = document.getElementById("lab");
const order = form.querySelector("input[name=order]");
const select = form.elements.tokenizer;

// Columns keep the order in which they were added.
function settle() {
  const chosen = [...select.selectedOptions].map(({ value }) => value);
  const before = order.value.split(" ").filter((id) => chosen.includes(id));
  order.value = [...before, ...chosen.filter((id) => !before.includes(id))].join(" ");
  document.getElementById("full").hidden = chosen.length < MAX_TOKENIZERS;
}

function next(column) {
  const other = column.nextElementSibling ?? column.previousElementSibling;
  return other?.dataset.tokenizer;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=remove]");
  if (!button) return;
  event.preventDefault();
  const then = next(button.closest(".col"));
  for (const option of select.selectedOptions) if (option.value === button.value) option.selected = false;
  select.dispatchEvent(new Event("change"));
  settle();
  document.addEventListener("htmx:after:swap", () => {
    (document.querySelector(`button[name=remove][value="${CSS.escape(then ?? "")}"]`) ?? document.querySelector(".picker-field"))?.focus();
  }, { once: true });
  tokenize();
});

document.addEventListener("change", (event) => {
  if (event.target === select) settle();
  const { name, type, value } = event.target;
  if (type === "radio" && ["baseline", "versus"].includes(name)) form.querySelector(`[type=hidden][name=${name}]`).value = value;
});

form.addEventListener("restored", settle);
settle();
