// Tokenizers are added and removed with one click; eight at most.

const MAX_TOKENIZERS = 8;
const form = document.getElementById("lab");
const order = form.querySelector("input[name=order]");
const select = form.elements.tokenizer;

// Rows keep the order in which they were added.
function settle() {
  const chosen = [...select.selectedOptions].map(({ value }) => value);
  const before = order.value.split(" ").filter((id) => chosen.includes(id));
  order.value = [...before, ...chosen.filter((id) => !before.includes(id))].join(" ");
  document.getElementById("full").hidden = chosen.length < MAX_TOKENIZERS;
}

document.addEventListener("change", ({ target }) => {
  if (target === select) settle();
});

form.addEventListener("restored", settle);
settle();
