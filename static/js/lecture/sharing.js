// A lecture as a link or a file, and several lectures in this browser.

import { copyText } from "../clipboard.js";
import { onDrop } from "../drop.js";
import { MAX_UNPACKED, pack, packed, unpack } from "../pack.js";
import { checkLecture } from "./checks.js";
import { change, save, show, tell } from "./list.js";
import { warm } from "./pictures.js";
import { current, read } from "./store.js";

const MAX_LINK = 8192; // characters, as of other links
const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");

// A lecture that is here already is only chosen.
function open(lecture, source) {
  const same = read().lectures.findIndex((one) => JSON.stringify(one) === JSON.stringify(lecture));
  if (same >= 0) return choose(same);
  warm(lecture.items);
  return change((items, state) => {
    const empty = state.lectures.length === 1 && !items.length;
    if (empty) state.lectures = [lecture];
    else state.lectures.push(lecture);
    state.at = state.lectures.length - 1;
  }, `Opened “${lecture.title}”, ${lecture.items.length} items, from ${source}. It is kept in this browser now.`);
}

function choose(at) {
  save({ ...read(), at });
  show();
  tell("");
}

async function openLink() {
  if (!packed()) return;
  try {
    open(checkLecture(await unpack(packed())), "a link");
    history.replaceState(null, "", location.pathname);
  } catch (error) {
    const unreadable = error instanceof DOMException || error instanceof SyntaxError || error instanceof TypeError;
    if (error instanceof RangeError) tell(`This link holds more than ${count(MAX_UNPACKED)} bytes; it is not opened.`);
    else tell(`This link is not opened. ${unreadable ? "It is damaged or incomplete." : error.message}`);
  }
}

async function openFile(file) {
  if (!file) return;
  try {
    if (file.size > MAX_UNPACKED) throw new Error(`It has ${count(file.size)} bytes, at most ${count(MAX_UNPACKED)} are allowed.`);
    open(checkLecture(JSON.parse(await file.text())), file.name);
  } catch (error) {
    tell(`${file.name} is not opened. ${error instanceof SyntaxError ? `It is no JSON: ${error.message}` : error.message}`);
  }
}

async function copyLink() {
  const { title, items } = current();
  const state = await pack({ title, items });
  if (state.length > MAX_LINK) return tell(`This lecture is too long for a link: ${count(state.length)} characters, at most ${count(MAX_LINK)}. Download it instead.`);
  return copyText(`${location.origin}/lecture#${state}`, "Link copied. It carries the whole lecture with your notes; nothing is stored.");
}

function download() {
  const { title, items } = current();
  const body = JSON.stringify({ title, items }, null, 2);
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "lecture";
  const href = `data:application/json;charset=utf-8,${encodeURIComponent(body)}`;
  Object.assign(document.createElement("a"), { href, download: `${name}.json` }).click();
}

// The ready lecture stands on the page.
function ready() {
  const rows = document.querySelectorAll(".lecture-ready li");
  const items = [...rows].map((one) => ({
    address: one.querySelector("a").getAttribute("href"), title: one.querySelector("a").textContent,
    notes: one.querySelector("p").textContent.trim(), minutes: Number(one.dataset.minutes),
  }));
  open(checkLecture({ title: byId("ready").textContent, items }), "this site");
  byId("builder").scrollIntoView();
}

const append = (lecture) => (items, state) => {
  state.at = state.lectures.push(lecture) - 1;
};
const acts = {
  link: copyLink,
  save: download,
  open: () => byId("lecture-file").click(),
  new: () => change(append({ title: "New lecture", items: [] }), "This is a new lecture; the others are in the list."),
  copy: () => change(append({ ...structuredClone(current()), title: `${current().title} (copy)`.slice(0, 200) }), "This is a copy."),
  delete: () => change((items, state) => {
    const [{ title }] = state.lectures.splice(state.at, 1);
    if (!state.lectures.length) state.lectures.push({ title: "My lecture", items: [] });
    state.at = Math.max(state.at - 1, 0);
    return `Deleted “${title}”.`;
  }),
  ready,
};

document.addEventListener("click", ({ target }) => {
  const act = target.closest("[data-do]")?.dataset.do;
  if (Object.hasOwn(acts, act)) acts[act]();
});
byId("lecture-file").addEventListener("change", async ({ target }) => {
  await openFile(target.files[0]);
  target.value = "";
});
onDrop((files) => openFile(files[0]));
byId("lectures").addEventListener("change", ({ target }) => choose(Number(target.value)));
byId("title").addEventListener("input", ({ target }) => {
  const state = read();
  current(state).title = target.value;
  save(state);
  byId("lectures").selectedOptions[0].text = target.value;
});
addEventListener("hashchange", openLink);
openLink();
