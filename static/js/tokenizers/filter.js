// Filter the list of tokenizers at every key.

const field = document.getElementById("filter");
const rows = [...document.querySelectorAll("[data-words]")];
field.form.addEventListener("submit", (event) => event.preventDefault());

function filter() {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const row of rows) row.hidden = !words.every((word) => row.dataset.words.includes(word));
  const shown = rows.filter((row) => !row.hidden).length;
  document.querySelector("[data-shown]").textContent = shown === rows.length ? "All" : `${shown || "None"} of`;
}

field.addEventListener("input", filter);
addEventListener("pageshow", filter); // a browser may have put back what was typed
