// The page from which a lecturer leads a hall, beside the slides or on another machine.

import { follow } from "./live.js";
import { send } from "./sending.js";
import { showTexts } from "./text_slide.js";

const root = document.querySelector(".hall-follow");
const said = document.getElementById("said");

localStorage.setItem("tokenarium-hall-lead", root.dataset.code);
const clock = document.querySelector(".hall-clock");
function tick() {
  const minutes = Math.floor((Date.now() / 1000 - clock.dataset.opened) / 60);
  clock.textContent = `${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })} · ${minutes} min`;
}
tick();
setInterval(tick, 5_000);
showTexts(root);
follow(root, { onPart: () => showTexts(root), onState: (state) => { said.textContent = state === "away" ? "Connecting again …" : ""; } });

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.dataset.key) return;
  event.preventDefault();
  // Each turn counts; of a question that is shown and hidden, the last state.
  send(form.dataset.key === "turn" ? Symbol("turn") : form.dataset.key, form.action, new URLSearchParams(new FormData(form, submitter)));
});

// The keys of a clicker turn the slides from here, too.
const TURNS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
document.addEventListener("keydown", (event) => {
  const button = document.querySelector(`[name=by][value="${TURNS[event.key]}"]`);
  if (!button || (event.key === " " && event.target.closest("button, a"))) return; // which it presses
  event.preventDefault();
  button.click();
});
