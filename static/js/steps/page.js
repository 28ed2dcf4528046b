// The page on the server: frames are fetched by the key of the run.

import { part, result } from "../part.js";
import { control } from "./control.js";
import { Player } from "./player.js";
import * as predict from "./predict.js";
import { before, place } from "./stage.js";
import "./chosen.js";
import { tokenize } from "../typing.js";

export const player = new Player(async (from) => [...(await part("/steps/frames", { step: from })).children]);
const bar = document.querySelector(".player");
const caption = document.getElementById("caption");

control(player);

function begin() {
  const view = result.querySelector(".result-view");
  bar.toggleAttribute("inert", !view);
  predict.drop();
  if (!view) return caption.replaceChildren();
  const { total, step } = view.dataset;
  player.begin(Number(total), Number(step));
  place(Number(step), Number(total));
  before();
  return undefined;
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
begin();
