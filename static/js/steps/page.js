// The page on the server: frames are fetched by the key of the run.

import { part, result } from "../part.js";
import { control } from "./control.js";
import { Player } from "./player.js";
import * as predict from "./predict.js";
import { before, place } from "./stage.js";
import "./chosen.js";
import { fail, recover } from "../requests.js";
import { tokenize } from "../typing.js";

export const player = new Player(async (from) => {
  const { children } = await part("/steps/window", { step: from });
  if (!children[0]?.matches(".frame")) throw new Error("The frames were not answered.");
  return [...children];
});
const bar = document.querySelector(".player");
const caption = document.getElementById("caption");

control(player);
player.addEventListener("shown", recover);
player.addEventListener("failed", () => {
  place(player.step, player.total);
  fail("Can’t reach the server. Your text is safe: try the step again.");
});

function begin() {
  const view = result.querySelector(".result-view");
  if (!view) return close("");
  bar.removeAttribute("inert");
  predict.drop();
  const { total, step } = view.dataset;
  player.begin(Number(total), Number(step));
  place(Number(step), Number(total));
  before();
  return undefined;
}

// Without a run there is nothing to go through.
function close(says) {
  bar.setAttribute("inert", "");
  predict.drop();
  player.begin(0, 0);
  caption.textContent = says;
}

function renew() {
  const opening = document.getElementById("opening");
  if (opening) caption.replaceChildren(...opening.childNodes);
  begin();
}

// An edited text or option starts at its first step, and is no longer the example.
function leaveExample() {
  document.querySelector(".desk .menu [aria-current]")?.removeAttribute("aria-current");
  document.querySelector(".shows")?.remove();
}

document.getElementById("lab").addEventListener("restored", leaveExample);
document.getElementById("lab").addEventListener("input", () => {
  document.querySelector("[data-step-field]").value = 0;
  leaveExample();
});
document.getElementById("lab").addEventListener("emptied", () => close("The text is empty and has no tokens."));
document.addEventListener("htmx:after:swap", renew);

// A corpus in which nothing can be learned is encoded instead.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[name=encode]");
  if (!button) return;
  event.preventDefault();
  const { form } = button;
  form.elements.branch.value = "encode";
  form.elements.tokenizer.value = button.value;
  form.dispatchEvent(new CustomEvent("restored"));
  tokenize();
});

// Escape leaves the text for the keys of the player.
document.addEventListener("keydown", ({ key, target }) => {
  if (key === "Escape" && target.id === "text") target.blur();
});

// The bands are as high as the form leaves room for.
new ResizeObserver(([{ target }]) => {
  document.querySelector("main").style.setProperty("--desk", `${target.offsetHeight}px`);
}).observe(document.getElementById("lab"));
begin();
