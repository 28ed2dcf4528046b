// The options beside the tokens, and the labels of those that are named for the tokenizer: its library, and the special
// tokens that it adds.

const form = document.getElementById("lab");

function name() {
  const { library = "none", template = "" } = form.elements.tokenizer.selectedOptions[0]?.dataset ?? {};
  document.querySelector("[data-chosen=library]").textContent = library;
  document.querySelector("[data-chosen=template]").textContent = template;
}

document.addEventListener("change", ({ target }) => target.form === form && name());
form.addEventListener("restored", name);
