// The downloaded scene: it holds all its steps, compressed, and the reasons for each answer.

import "../presenter/tools.js";
import { present } from "../presenter/mode.js";
import "./player.js";

const result = document.getElementById("result");
const held = Uint8Array.from(atob(document.getElementById("frames").textContent), (char) => char.charCodeAt(0));
const frames = (await new Response(new Blob([held]).stream().pipeThrough(new DecompressionStream("gzip"))).text()).split("\0");

function show(step) {
  const focused = document.activeElement?.id;
  const holder = document.createElement("template");
  holder.innerHTML = frames[step];
  result.replaceChildren(holder.content);
  if (focused) document.getElementById(focused)?.focus();
  document.dispatchEvent(new CustomEvent("htmx:after:swap"));
}

function judge(button) {
  const right = "right" in button.dataset;
  for (const one of button.parentElement.querySelectorAll("button")) {
    one.classList.toggle("right", "right" in one.dataset);
    one.classList.toggle("wrong", one === button && !right);
  }
  const verdict = document.createElement("strong");
  verdict.textContent = right ? "Right." : "Not this one.";
  result.querySelector(".learn-verdict").replaceChildren(verdict, ` ${button.dataset.verdict}`);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  if (button.dataset.do === "present") present();
  else if (button.name === "answer") judge(button);
  else if (button.name === "step" && button.ariaDisabled !== "true") show(Number(button.value));
});
