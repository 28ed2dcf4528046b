// The treemap of a folder, in a file of its own: which files a part of a path finds, and their tokens.

const form = document.querySelector("[data-search]");
const input = form.querySelector("input");
const boxes = [...document.querySelectorAll(".box")];
const [names, tokens] = JSON.parse(document.getElementById("all").textContent);
const lower = names.map((name) => name.toLowerCase());

function search() {
  const wanted = input.value.trim().toLowerCase();
  const found = wanted ? lower.map((name, at) => (name.includes(wanted) ? at : -1)).filter((at) => at >= 0) : [];
  const folders = new Set(found.flatMap((at) => parents(names[at])));
  for (const box of boxes) {
    const { name } = box.dataset;
    box.classList.toggle("dim", Boolean(wanted) && !folders.has(name));
  }
  const sum = found.reduce((total, at) => total + tokens[at], 0);
  const number = (count) => count.toLocaleString("en");
  form.querySelector("output").textContent = wanted ? `${number(found.length)} ${found.length === 1 ? "file" : "files"}, ${number(sum)} tokens` : "";
}

// A file, and the folders that it is in, which have a box of their own or stand for their files.
function parents(name) {
  const parts = name.split("/");
  return parts.map((part, at) => parts.slice(0, at + 1).join("/") + (at < parts.length - 1 ? "/" : ""));
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
input.addEventListener("input", search);
