// Under the count: the text in the models that people pay for. The strip follows the answers once the typing rests, or
// each second, with requests of its own, of which at most one is under way: they shall not delay the answer to the next key.
// A click makes a model the one of the page. Which models are shown is kept here.

import { form, part } from "../part.js";

const KEY = "tokenarium.strip";
const [REST, LONGEST, LATE] = [150, 1000, 200]; // milliseconds
const strip = document.getElementById("strip");
const select = form.elements.tokenizer;
const ticks = [...strip.querySelectorAll("[data-strip]")];
let filled = false;
let underWay = false;
let waiting = false;
let timer;
let since; // when the first answer came that the strip has not followed
let late;

function restore() {
  const kept = localStorage.getItem(KEY)?.split(" ");
  if (kept) for (const tick of ticks) tick.checked = kept.includes(tick.value);
}

const isAnswering = () => document.querySelector("#busy.htmx-request");
const wanted = () => ticks.filter(({ checked }) => checked).map(({ value }) => value).join(" ");
const named = (option, name) => option.dataset.name === name || option.dataset.also?.split(", ").includes(name);

// Of several models with the tokenizer of the page, the one that was chosen is marked, else the first.
function mark() {
  const alike = [...strip.querySelectorAll("[data-tokenizer]")].filter(({ dataset }) => dataset.tokenizer === select.value);
  const option = select.selectedOptions[0];
  const one = alike.find(({ dataset }) => option?.dataset.name === dataset.model) ?? alike[0];
  for (const button of strip.querySelectorAll("[data-tokenizer]")) button.ariaPressed = String(button === one);
}

const ask = async (models) => {
  const answer = await part("/costs/strip", { models });
  if (!answer?.matches(".strip-models")) throw new Error("The strip was not answered.");
  return answer;
};

// A button in focus gives it to the one that takes its place.
function replace(old, fresh) {
  const parent = old.parentElement;
  const at = [...parent.querySelectorAll("button")].indexOf(document.activeElement);
  old.replaceWith(fresh);
  parent.querySelectorAll("button")[at]?.focus({ preventScroll: true });
}

// The first time, the server may have to load each vocabulary: each model is shown as soon as its own is there.
async function fill() {
  clearTimeout(late);
  late = undefined;
  strip.firstElementChild.replaceChildren(...ticks.filter(({ checked }) => checked).map((tick) => {
    const name = Object.assign(document.createElement("span"), { className: "strip-name", textContent: tick.parentElement.textContent });
    const button = Object.assign(document.createElement("button"), { type: "button", className: "strip-model", ariaDisabled: "true" });
    button.append(name, Object.assign(document.createElement("span"), { className: "strip-none", textContent: "…" }));
    return button;
  }));
  for (const [at, id] of wanted().split(" ").entries()) {
    if (waiting) return; // the text is another one by now
    const [model] = (await ask(id)).children;
    replace(strip.firstElementChild.children[at], model);
    mark();
  }
  filled = true;
}

// What is known of another text is not shown beside the count of this one. Nothing moves.
function leaveOpen() {
  for (const button of strip.querySelectorAll(".strip-model")) button.style.minWidth = `${button.offsetWidth}px`;
  for (const count of strip.querySelectorAll(".strip-count")) count.textContent = "…";
  for (const price of strip.querySelectorAll(".strip-price")) price.textContent = "";
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
    if (filled) replace(strip.firstElementChild, await ask(wanted()));
    else await fill();
    mark();
    clearTimeout(late);
    late = undefined;
  } catch {
    failed = true;
  }
  underWay = false;
  strip.classList.toggle("stale", waiting || failed);
  if (waiting) followLater();
}

function choose({ dataset }) {
  const options = [...select.options];
  const { model, tokenizer, request } = dataset;
  const option = tokenizer
    ? options.filter(({ value }) => value === tokenizer).toSorted((a, b) => named(b, model) - named(a, model))[0]
    : options.find((one) => (request ? one.dataset.id === request : "unpublished" in one.dataset));
  if (option) select.dispatchEvent(new CustomEvent("choose", { detail: option }));
}

restore();
followLater();
form.addEventListener("htmx:before:request", () => strip.classList.add("stale"));
form.addEventListener("htmx:finally:request", followLater);
form.addEventListener("restored", mark);
select.addEventListener("change", mark);
strip.addEventListener("click", ({ target }) => {
  const button = target.closest(".strip-model:not([aria-disabled])");
  if (button) choose(button);
});
strip.addEventListener("change", () => {
  localStorage.setItem(KEY, wanted());
  filled = false;
  follow();
});
