// The labels of options that are named for the tokenizer: its library, and the special tokens that it adds.

const form = document.getElementById("lab");

function name() {
  const { library = "none", template = "" } = form.elements.tokenizer.selectedOptions[0]?.dataset ?? {};
  form.querySelector("[data-chosen=library]").textContent = library;
  form.querySelector("[data-chosen=template]").textContent = template;
}

form.addEventListener("change", name);
form.addEventListener("restored", name);
