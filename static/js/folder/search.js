// The treemap of a folder, in a page or in a file of its own: which files a part of a path finds, and their tokens.

const number = (count) => count.toLocaleString("en");

function begin() {
  const form = document.querySelector("[data-find][hidden]");
  if (!form) return;
  const boxes = [...document.querySelectorAll(".treemap .box")];
  const [names, tokens] = JSON.parse(form.dataset.files);
  const lower = names.map((name) => name.toLowerCase());
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("input").addEventListener("input", ({ target }) => {
    const wanted = target.value.trim().toLowerCase();
    const found = wanted ? lower.map((name, at) => (name.includes(wanted) ? at : -1)).filter((at) => at >= 0) : [];
    const shown = new Set(found.flatMap((at) => parents(names[at])));
    for (const box of boxes) box.classList.toggle("dim", Boolean(wanted) && !shown.has(box.dataset.name));
    const sum = found.reduce((total, at) => total + tokens[at], 0);
    form.querySelector("output").textContent = wanted ? `${number(found.length)} ${found.length === 1 ? "file" : "files"}, ${number(sum)} ${sum === 1 ? "token" : "tokens"}` : "";
  });
}

// A file, and the folders that it is in, which have a box of their own or stand for their files.
function parents(name) {
  const parts = name.split("/");
  return parts.map((part, at) => parts.slice(0, at + 1).join("/") + (at < parts.length - 1 ? "/" : ""));
}

document.addEventListener("htmx:after:swap", begin);
begin();
