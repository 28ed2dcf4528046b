// Keys and clickers go through a scene, its slides and its steps, and from the last one on to the next scene, also while
// it is presented.

import { fit } from "../presenter/fit.js";
import { passEnd, tellSlide } from "../presenter/events.js";
import { keys } from "../presenter/keys.js";
import { present, presenting } from "../presenter/mode.js";
import { direct } from "../presenter/talk.js";

const find = (id) => document.getElementById(id);
const main = document.querySelector("main");

function press(id) {
  const button = find(id);
  if (!button || button.ariaDisabled === "true") return false;
  button.click();
  return true;
}

// Show the equation in place of the picture, or the code beside it, or neither again.
function show(part, selector) {
  if (!presenting() || !document.querySelector(selector)) return false;
  if (main.dataset.show === part) delete main.dataset.show;
  else main.dataset.show = part;
  fit();
  return true;
}

// While presenting, Next shows the answer of an open question at once.
function turn(by) {
  if (by > 0 && presenting() && document.querySelector(".learn-question:not([data-answer])")) {
    if (pending) waiting.push(() => turn(by));
    else press("show-answer");
    return true;
  }
  if (press(by > 0 ? "key-on" : "key-back")) return true;
  if (!presenting() || !passEnd(by)) return presenting();
  const scene = find(by > 0 ? "next-scene" : "previous-scene");
  scene?.click();
  return Boolean(scene);
}

function go(step) {
  const button = find("key-first");
  button.value = step;
  button.removeAttribute("aria-disabled");
  button.click();
}

// A key is counted from the step on the stage: what is pressed while an answer is under way waits for it.
const waiting = [];
let pending = 0;
document.addEventListener("htmx:before:request", () => void pending++);
document.addEventListener("htmx:error", () => waiting.splice(0));
document.addEventListener("htmx:finally:request", () => --pending || waiting.shift()?.());
document.addEventListener("click", (event) => {
  const key = pending && event.target.closest(".learn-view .key");
  if (!key) return;
  event.preventDefault();
  const { id, value } = key;
  const moves = { "key-on": () => turn(1), "key-back": () => turn(-1), "key-first": () => go(value) };
  waiting.push(moves[id] ?? (() => press(id)));
}, { capture: true });

keys({
  ArrowRight: () => turn(1), PageDown: () => turn(1), ArrowLeft: () => turn(-1), PageUp: () => turn(-1),
  " ": () => (presenting() ? turn(1) : false),
  Home: () => press("key-first"), End: () => press("key-last"),
  f: () => show("formula", ".learn-equation"), c: () => show("code", ".learn-code"),
  p: () => present(), Escape: () => (presenting() ? present(false) : false),
});

// The canvas of the next step, from the server.
async function preview() {
  const form = find("lab");
  const [step, total] = ["step", "total"].map((name) => Number(document.querySelector(".learn-view")?.dataset[name]));
  if (!form || step + 1 >= total) return null;
  const data = new FormData(form);
  data.set("step", step + 1);
  const answer = await fetch(form.action, { method: "POST", body: data, headers: { "HX-Request": "true", "HX-Request-Type": "partial" } });
  const node = main.cloneNode(true);
  node.querySelector("#result").innerHTML = await answer.text();
  return { node, rem: 44, top: 0 };
}

direct({ turn, go, preview });

const tell = () => {
  const view = document.querySelector(".learn-view");
  if (!presenting() || !view) return;
  tellSlide({
    at: Number(view.dataset.step) + 1, total: Number(view.dataset.total) || null, title: document.querySelector("h1").textContent,
    caption: view.querySelector(".caption").textContent.trim(),
  });
};
document.addEventListener("presented", () => presenting() || delete main.dataset.show);
for (const event of ["presented", "htmx:after:swap"]) document.addEventListener(event, tell);
