// The downloaded scene: it holds its open question, the same after each answer, and all its steps, compressed.

import "../presenter/tools.js";
import { present } from "../presenter/mode.js";
import "./player.js";

const result = document.getElementById("result");
const held = document.getElementById("frames");
const fragment = (html) => Object.assign(document.createElement("template"), { innerHTML: html }).content;
const scene = unpack(); // a key that comes before it waits
let answer = Number(held.dataset.answers) ? null : ""; // the number of a choice, or "shown", the last of the answers
let urged = false;

async function unpack() {
  const bytes = Uint8Array.from(atob(held.textContent), (char) => char.charCodeAt(0));
  const packed = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [open, ...rest] = (await new Response(packed).text()).split("\0");
  const answers = rest.splice(0, Number(held.dataset.answers));
  return { open, answers, frames: rest };
}

async function show(step) {
  const { open, answers, frames } = await scene;
  const focused = document.activeElement?.id;
  const asks = answer === null && step > 0 && !urged;
  if (answer === null && step > 0 && urged) [answer, step] = ["shown", 0];
  urged = asks;
  result.replaceChildren(fragment(answer === null ? open : frames[Math.min(step, frames.length - 1)]));
  if (answer) result.querySelector(".predict")?.replaceWith(fragment(answers.at(answer === "shown" ? -1 : answer)));
  if (asks) result.querySelector(".verdict").textContent = "Answer first, or press Next again to see the answer.";
  if (focused) document.getElementById(focused)?.focus();
  document.dispatchEvent(new CustomEvent("htmx:after:swap"));
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  if (button.dataset.do === "present") present();
  else if (button.name === "answer") (answer = button.value), show(Number(result.querySelector(".learn-view").dataset.step));
  else if (button.name === "step" && button.ariaDisabled !== "true") show(Number(button.value));
});
