// Keep what is small in the address: the example if the text is one, the model, arguments of the template, the
// conversation, and the turn that is shown whole. A text that was pasted stays out of it.

const form = document.getElementById("lab");
const DEFAULTS = { model: "", arguments: "", conversation: "0", whole: "0" };

function remember() {
  const query = new URLSearchParams();
  const isShown = ({ dataset }) => dataset.text.trim() === form.elements.text.value.trim();
  const example = [...document.querySelectorAll("button[name=example]")].find(isShown);
  if (example) query.set("example", example.value);
  for (const [name, value] of new FormData(form)) if (name in DEFAULTS && value !== DEFAULTS[name]) query.set(name, value);
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

document.addEventListener("htmx:after:swap", remember);
