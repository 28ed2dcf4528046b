// Show the tokens of a pasted answer, coloured by their probability; pointing shows the alternatives. Nothing is sent.

import { hex, visible } from "../visible.js";
import { readLogprobs } from "./read.js";

const area = document.getElementById("text");
const place = document.getElementById("logprobs");
const problem = document.getElementById("said");
const inspector = document.querySelector("[data-pointed]");
const [EMPTY, POINT] = [place.innerHTML, inspector.textContent];
const MAX_SHOWN = 20_000; // tokens
const tokens = new WeakMap(); // the button of a token -> the token

const element = (tag, className, ...children) => {
  const one = Object.assign(document.createElement(tag), { className });
  one.append(...children);
  return one;
};
const percent = (logprob) => (Number.isFinite(logprob) ? `${(100 * Math.exp(logprob)).toPrecision(3)} %` : "–");
const number = (value) => (Number.isFinite(value) ? value.toFixed(3).replace("-", "−") : "–");

// The text of a token; the bytes of one that ends inside a character.
function textOf({ token, bytes }) {
  if (!bytes?.length) return { text: token };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes)) };
  } catch {
    return { text: hex(bytes), split: true };
  }
}

function show(token) {
  const { text, split } = textOf(token);
  const button = element("button", split ? "logprob logprob-hex" : "logprob", text);
  button.type = "button";
  button.ariaLabel = `${text}, ${percent(token.logprob)}`;
  if (Number.isFinite(token.logprob)) button.style.setProperty("--doubt", 1 - Math.exp(token.logprob));
  tokens.set(button, token);
  return button;
}

function fact(value, label) {
  return element("div", "", element("dt", "", label), element("dd", "", value));
}

function showChoice(choice, at, all) {
  const known = choice.map(({ logprob }) => logprob).filter(Number.isFinite);
  const sum = known.reduce((total, logprob) => total + logprob, 0);
  const facts = element("dl", "logprob-facts", fact(choice.length.toLocaleString("en"), choice.length === 1 ? "token" : "tokens"),
    fact(number(sum), "sum of logprobs"), fact(number(Math.exp(-sum / known.length)), "perplexity"));
  const text = element("div", "text logprob-choice", ...choice.slice(0, MAX_SHOWN).map(show));
  text.dir = "auto";
  const more = choice.length > MAX_SHOWN ? [element("p", "quiet", `These are the first ${MAX_SHOWN.toLocaleString("en")} tokens.`)] : [];
  return element("section", "", ...(all.length > 1 ? [element("h2", "", `Choice ${at + 1}`)] : []), facts, text, ...more);
}

function update() {
  problem.textContent = "";
  inspector.textContent = POINT;
  if (!area.value.trim()) return void (place.innerHTML = EMPTY);
  try {
    place.replaceChildren(...readLogprobs(area.value).map(showChoice));
  } catch (error) { // what was shown of a good answer stays
    problem.textContent = error.message;
  }
}

function point(button) {
  const token = tokens.get(button);
  const listed = token.others.some((other) => other.token === token.token) ? token.others : [token, ...token.others];
  const rows = listed.toSorted((one, other) => other.logprob - one.logprob).map((one) => element("div", one.token === token.token ? "taken" : "",
    element("code", "", visible(textOf(one).text)),
    Object.assign(document.createElement("meter"), { value: Number.isFinite(one.logprob) ? Math.exp(one.logprob) : 0, ariaLabel: percent(one.logprob) }),
    element("span", "", percent(one.logprob)), element("span", "", number(one.logprob))));
  const id = token.id === undefined ? "" : ` id ${token.id}`;
  inspector.replaceChildren(element("strong", "", visible(textOf(token).text)), id, element("div", "logprob-rows", ...rows));
  for (const one of place.querySelectorAll("[aria-pressed]")) one.removeAttribute("aria-pressed");
  button.ariaPressed = "true";
}

area.addEventListener("input", update);
for (const event of ["pointerover", "focusin", "click"]) {
  place.addEventListener(event, ({ target }) => {
    const button = target.closest(".logprob");
    if (button) point(button);
  });
}
document.addEventListener("click", ({ target }) => {
  const example = target.closest("[data-example]");
  if (!example && !target.closest("[data-empty]")) return;
  area.value = example?.dataset.example ?? "";
  update();
});
if (area.value) update(); // restored by the browser
