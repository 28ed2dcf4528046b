// Tokenize while the text is typed: after a short pause, a longer one where much would be sent. Every other field of the
// form takes effect at once.

const form = document.getElementById("lab");
const LONG_TEXT = 50_000; // characters
const [PAUSE, LONG_PAUSE] = [160, 700]; // milliseconds
const isText = (field) => field.matches("textarea");
let timer;

export function tokenize(pause = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => form.dispatchEvent(new CustomEvent("tokenize")), pause);
}

document.addEventListener("input", ({ target }) => {
  if (target.form === form && isText(target)) tokenize(target.textLength > LONG_TEXT ? LONG_PAUSE : PAUSE);
});

// #spaces only changes how the page looks.
document.addEventListener("change", ({ target }) => {
  if (target.form === form && target.name && !isText(target) && target.id !== "spaces") tokenize();
});

document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey }) => {
  if (target.form === form && key === "Enter" && (ctrlKey || metaKey)) tokenize();
});

document.addEventListener("click", ({ target }) => {
  if (!target.closest("#clear")) return;
  const text = document.getElementById("text");
  text.value = "";
  text.focus();
  tokenize();
});
