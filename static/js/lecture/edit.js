// Add items, edit their fields, remove them, and present from one of them.

import { packed, unpack } from "../pack.js";
import { presenting } from "../presenter/mode.js";
import { checkAddress, checkItem, MAX_ITEMS } from "./checks.js";
import { change, indexOf, save, tell } from "./list.js";
import { titleOf } from "./naming.js";
import { start } from "./presentation.js";
import { current, read } from "./store.js";

const byId = (id) => document.getElementById(id);
const list = byId("items");

export function add(item) {
  const made = checkItem(item);
  if (current().items.length >= MAX_ITEMS) throw new Error(`A lecture has at most ${MAX_ITEMS} items.`);
  change((items) => {
    items.push(made);
    return `Added “${made.title || "a text slide"}” as item ${items.length}.`;
  });
  list.lastElementChild.scrollIntoView({ block: "nearest" });
}

// The text that an address shows: in its query, or packed behind the #.
async function textOf(url) {
  if (!packed(url)) return url.searchParams.get("text") ?? "";
  const state = await unpack(packed(url)).catch(() => []);
  return Array.isArray(state) ? state.find(([name]) => name === "text")?.[1] ?? "" : "";
}

async function addAddress(typed) {
  const address = checkAddress(typed.trim());
  const url = new URL(address, location.origin);
  tell("Checking …");
  const answer = await fetch(url.pathname + url.search);
  if (!answer.ok && answer.headers.get("Content-Type")?.includes("json")) {
    const { code, detail } = await answer.json();
    if (code !== "not-found") throw new Error(detail);
  }
  const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
  if (!answer.ok || !page.querySelector("main")) throw new Error(`There is no page at ${url.pathname} to present (${answer.status}).`);
  const shown = {
    text: page.querySelector("#lab [name=text]")?.value ?? "",
    step: page.querySelector("[data-step]")?.dataset.step,
    kind: page.querySelector("[data-kind]")?.dataset.kind,
  };
  for (const [name, value] of Object.entries(shown)) {
    const wanted = url.searchParams.get(name);
    if (wanted !== null && value !== undefined && value !== wanted) throw new Error(`${url.pathname} does not show the ${name} of its address. Choose it there, then “Add to lecture” in its Export menu.`);
  }
  add({ address, title: titleOf(page, await textOf(url)) });
}

const failed = (error) => tell(`Not added: ${error.message}`);

byId("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("address");
  addAddress(field.value).then(() => (field.value = ""), failed);
});

const acts = {
  add() {
    const [option] = byId("choice").selectedOptions;
    add({ address: option.value, title: option.text });
  },
  slide() {
    add({ title: "Slide", text: "" });
    list.lastElementChild.querySelector("[data-field=title]").select();
  },
  picture: (at) => list.children[at].querySelector("[type=file]").click(),
  remove(at) {
    change((items) => `Removed “${items.splice(at, 1)[0].title}”.`);
  },
  present: start,
};

// A picture that is larger than a slide is drawn smaller: the browser keeps a few megabytes in all.
async function addPicture(input) {
  const [file] = input.files;
  const at = indexOf(input);
  const image = new Image();
  const reader = new FileReader();
  reader.readAsDataURL(file);
  await new Promise((done) => { reader.onloadend = done; });
  image.src = reader.result;
  await image.decode().catch(() => { throw new Error(`${file.name} is no picture that this browser can show.`); });
  const scale = Math.min(1, 1920 / image.naturalWidth, 1080 / image.naturalHeight);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth * scale, height: image.naturalHeight * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const { title, text } = current().items[at];
  const shown = text.includes("](picture)") ? text : `${text}\n\n![${file.name.replace(/\.\w+$/, "")}](picture)`.trim();
  const checked = checkItem({ ...current().items[at], text: shown, picture: canvas.toDataURL("image/webp", 0.85) });
  change((items) => void (items[at] = checked), `“${title}” shows ${file.name} where its text says ![…](picture). Write in the brackets what it shows.`);
}

byId("builder").addEventListener("click", ({ target }) => {
  const act = target.closest("[data-do]")?.dataset.do;
  if (!Object.hasOwn(acts, act)) return;
  try {
    acts[act](indexOf(target));
  } catch (error) {
    failed(error);
  }
});

// Typing is kept at once and undone by the field itself.
list.addEventListener("input", ({ target }) => {
  if (target.type === "file") return void addPicture(target).catch(failed);
  const state = read();
  const item = current(state).items[indexOf(target)];
  const { field } = target.dataset;
  item[field] = field === "minutes" ? Math.min(Math.max(Math.trunc(target.valueAsNumber) || 0, 0), 999) : target.value;
  save(state);
});

byId("present").addEventListener("click", () => start());
addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (key.toLowerCase() !== "p" || presenting() || ctrlKey || metaKey || altKey || target.matches?.("input, textarea, select") || !current().items.length) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  start();
}, { capture: true });
