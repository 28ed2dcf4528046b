// Tokens appear as one types: after a short pause, a longer one where much would be sent; options count at once.

const form = document.getElementById("lab");
const text = document.getElementById("text");
const MUCH = 50_000;
let timer;

export function tokenize(pause = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => form.dispatchEvent(new CustomEvent("tokenize")), pause);
}

text.addEventListener("input", () => tokenize(text.textLength > MUCH ? 700 : 160));

text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) tokenize();
});

document.addEventListener("change", (event) => {
  if (event.target.form === form && event.target.name && !event.target.matches("#text, #spaces")) tokenize();
});

document.getElementById("clear").addEventListener("click", () => {
  text.value = "";
  text.focus();
  tokenize();
});
