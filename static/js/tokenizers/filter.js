// Filter the list of tokenizers at every key.

const field = document.getElementById("filter");
field.form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const row of document.querySelectorAll("[data-words]")) row.hidden = !words.every((word) => row.dataset.words.includes(word));
});
