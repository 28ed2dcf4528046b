// While vocabularies are loaded for a comparison, show the count of each as soon as it is there.

const PATIENCE = 120; // milliseconds; what is loaded already is compared in less
const form = document.getElementById("lab");
const list = document.getElementById("arriving");
let timer;
let asked;

async function follow(text, tokenizers) {
  const { signal } = (asked = new AbortController());
  const answer = await fetch("/api/compare/columns", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text, tokenizers }),
    signal,
  });
  if (!answer.ok) return; // the page itself says why
  let rest = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const column of lines.map(JSON.parse)) show(column);
  }
}

function show({ tokenizer, tokens }) {
  if (tokens === undefined) return;
  const item = document.createElement("li");
  const count = document.createElement("b");
  count.textContent = tokens.toLocaleString("en");
  const chosen = [...form.elements.tokenizer.selectedOptions].find(({ value }) => value === tokenizer);
  item.append(chosen?.label ?? tokenizer, " ", count);
  list.append(item);
}

function end() {
  clearTimeout(timer);
  asked?.abort();
  asked = undefined;
  list.replaceChildren();
}

form.addEventListener("htmx:before:request", () => {
  end();
  const { text, order } = form.elements;
  const tokenizers = order.value.split(" ").filter(Boolean);
  if (text.disabled || !tokenizers.length) return; // a file takes the place of the text
  timer = setTimeout(() => follow(text.value, tokenizers).catch(() => {}), PATIENCE);
});

for (const event of ["htmx:after:swap", "htmx:error"]) document.addEventListener(event, end);
