// The text in the models that people pay for. The table follows the answers once the typing rests, or each second, with
// requests of its own, of which at most one is under way: they shall not delay the answer to the next key. A click makes a
// model the one of the page. Which models are shown is kept here.

import { form, part } from "../part.js";

const KEY = "tokenarium.strip";
const [REST, LONGEST, LATE] = [150, 1000, 200]; // milliseconds
const table = document.getElementById("models");
const body = () => table.tBodies[0];
const select = form.elements.tokenizer;
const ticks = [...document.querySelectorAll("[data-paid]")];
let filled = false;
let underWay = false;
let waiting = false;
let timer;
let since; // when the first answer came that the table has not followed
let late;

function restore() {
  const kept = localStorage.getItem(KEY)?.split(" ");
  if (kept) for (const tick of ticks) tick.checked = kept.includes(tick.value);
}

const isAnswering = () => document.querySelector("#busy.htmx-request");
const wanted = () => ticks.filter(({ checked }) => checked);
const named = (option, name) => option.dataset.name === name || option.dataset.also?.split(", ").includes(name);

// Of several models with the tokenizer of the page, the one that was chosen is marked, else the first.
function mark() {
  const alike = [...table.querySelectorAll("[data-tokenizer]")].filter(({ dataset }) => dataset.tokenizer === select.value);
  const option = select.selectedOptions[0];
  const one = alike.find(({ dataset }) => option?.dataset.name === dataset.model) ?? alike[0];
  for (const row of table.querySelectorAll("[data-tokenizer]")) row.querySelector(".model-name").ariaPressed = String(row === one);
}

function scale() {
  const rows = [...table.querySelectorAll("[data-high]")];
  const most = Math.max(1, ...rows.map(({ dataset }) => Number(dataset.high)));
  for (const row of rows) {
    const [low, high] = [row.dataset.low, row.dataset.high].map((count) => (count / most) * 100);
    row.querySelector(".least").setAttribute("width", low);
    row.querySelector(".most").setAttribute("x", low);
    row.querySelector(".most").setAttribute("width", high - low);
  }
}

const ask = async (models) => {
  const answer = await part("/models", { models });
  if (!answer?.matches("table")) throw new Error("The models were not answered.");
  return answer.tBodies[0];
};

// A button in focus gives it to the one that takes its place.
function replace(old, ...fresh) {
  const at = [...table.querySelectorAll("button")].indexOf(document.activeElement);
  old.replaceWith(...fresh);
  table.querySelectorAll("button")[at]?.focus({ preventScroll: true });
  mark();
  scale();
}

// Rows without a count, of the models that are to be shown.
function open() {
  body().replaceChildren(...wanted().map((tick) => {
    const row = document.createElement("tr");
    const name = Object.assign(document.createElement("th"), { scope: "row" });
    name.append(Object.assign(document.createElement("button"), { type: "button", className: "model-name", ariaDisabled: "true", textContent: tick.parentElement.textContent }));
    const cells = [["model-tokens", "…"], ["model-bar", ""], ["model-price", ""]];
    row.append(name, ...cells.map(([className, textContent]) => Object.assign(document.createElement("td"), { className, textContent })));
    return row;
  }));
}

// The first time, the server may have to load each vocabulary: each model is shown as soon as its own is there.
async function fill() {
  clearTimeout(late);
  late = undefined;
  open();
  const rows = [...body().rows];
  for (const [at, { value }] of wanted().entries()) {
    if (waiting) return; // the text is another one by now
    replace(rows[at], ...(await ask(value)).rows);
  }
  filled = true;
}

// What is known of another text is not shown beside the count of this one. Nothing moves.
function leaveOpen() {
  for (const count of table.querySelectorAll(".model-tokens")) count.textContent = "…";
  for (const price of table.querySelectorAll(".model-price")) price.textContent = "";
  for (const bar of table.querySelectorAll("rect")) bar.setAttribute("width", 0);
}

function followLater() {
  late ??= setTimeout(leaveOpen, REST + LATE);
  since ??= performance.now();
  clearTimeout(timer);
  const left = Math.max(0, since + LONGEST - performance.now());
  timer = setTimeout(() => (left && isAnswering()) || follow(), Math.min(REST, left));
}

async function follow() {
  since = undefined;
  if (underWay) return void (waiting = true);
  underWay = true;
  waiting = false;
  let failed = false;
  try {
    if (filled) replace(body(), await ask(wanted().map(({ value }) => value).join(" ")));
    else await fill();
    clearTimeout(late);
    late = undefined;
  } catch {
    failed = true;
  }
  underWay = false;
  table.classList.toggle("stale", waiting || failed);
  if (waiting) followLater();
}

// An empty text has no tokens in any model: nothing need be asked.
function empty() {
  for (const count of document.querySelectorAll(".model-tokens, .counts [data-count]")) count.textContent = "0";
  for (const price of table.querySelectorAll(".model-price")) price.textContent = "$0";
  for (const bar of table.querySelectorAll("rect")) bar.setAttribute("width", 0);
}

function choose({ dataset }) {
  const options = [...select.options];
  const { model, tokenizer } = dataset;
  const option = tokenizer
    ? options.filter(({ value }) => value === tokenizer).toSorted((a, b) => named(b, model) - named(a, model))[0]
    : options.find((one) => "unpublished" in one.dataset);
  if (option) select.dispatchEvent(new CustomEvent("choose", { detail: option }));
}

restore();
followLater();
form.addEventListener("htmx:before:request", () => table.classList.add("stale"));
form.addEventListener("htmx:finally:request", followLater);
form.addEventListener("input", () => form.elements.text.value || empty());
form.addEventListener("restored", mark);
select.addEventListener("change", mark);
table.addEventListener("click", ({ target }) => {
  const row = target.closest("tr[data-model]");
  if (row && !row.querySelector("[aria-disabled]")) choose(row);
});
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-paid]")) return;
  localStorage.setItem(KEY, wanted().map(({ value }) => value).join(" "));
  filled = false;
  follow();
});
