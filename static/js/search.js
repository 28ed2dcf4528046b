// Ctrl-K, ⌘K or the button of the masthead opens the search in a dialog. Arrows walk through what is found, Enter opens it.

const PAUSE = 60; // milliseconds
let dialog;
let timer;
let latest = 0;

function build() {
  dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", "Search");
  dialog.innerHTML = '<input type="search" placeholder="Page, model, tokenizer, term or token" aria-label="Search" autocomplete="off" spellcheck="false"><div class="found" role="status"></div>';
  document.body.append(dialog);
  dialog.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });
  dialog.addEventListener("keydown", walk);
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
}

async function find() {
  const turn = (latest += 1);
  const tokenizer = document.getElementById("lab")?.elements.tokenizer?.value;
  const query = new URLSearchParams({ q: dialog.firstChild.value, ...(tokenizer && { tokenizer }) });
  const answer = await fetch(`/search?${query}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (turn !== latest) return;
  const found = dialog.querySelector(".found");
  if (!answer?.ok) return void (found.textContent = "Can’t reach the server.");
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  if (turn === latest) found.replaceChildren(holder.content);
}

function walk(event) {
  const links = [...dialog.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape") event.preventDefault(), dialog.close(); // a search field would only be emptied
  if (event.key === "Enter" && at < 0) links[0]?.click();
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  (links[at + by] ?? (by < 0 ? dialog.firstChild : links.at(-1)))?.focus();
}

export function open() {
  if (!dialog) build();
  if (dialog.open) return;
  dialog.showModal();
  dialog.firstChild.select();
  find();
}
