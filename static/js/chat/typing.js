// Tokens appear as one types: after a short pause; options count at once. A text field grows with what it holds.

const form = document.getElementById("lab");
let timer;

function tokenize(pause) {
  clearTimeout(timer);
  timer = setTimeout(() => form.dispatchEvent(new CustomEvent("tokenize")), pause);
}

form.addEventListener("input", (event) => tokenize(event.target.matches("textarea") ? 250 : 0));

// Where only one of two can hold, the other gives way.
form.addEventListener("change", ({ target }) => {
  if (!target.checked || !["prompted", "continued"].includes(target.name)) return;
  form.elements[target.name === "prompted" ? "continued" : "prompted"].checked = false;
});

form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) tokenize(0);
});
