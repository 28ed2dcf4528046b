// A text slide: its title and its text are those of the item in whose frame it is shown, or of the number in its address. A
// poll is asked as long as it is open; Next closes it and shows the right choice, if it has one.

import { slideNow } from "../presenter/events.js";
import { frame } from "../presenter/framed.js";
import { presenting } from "../presenter/mode.js";
import { slideOf } from "./markdown.js";
import { current } from "./store.js";

const NEXT = ["ArrowRight", "ArrowDown", "PageDown", " "];
const slide = document.getElementById("own-slide");
const item = frame?.item ?? current().items[new URLSearchParams(location.search).get("item") - 1];
let question = null;

const tell = (kind, detail) => document.dispatchEvent(new CustomEvent(kind, { detail: { id: question.id, ...detail } }));

function ask() {
  if (presenting() && question && !question.revealed) tell("asked", question);
}

function reveal() {
  question.revealed = true;
  for (const poll of document.querySelectorAll(".poll")) {
    poll.classList.add("answered");
    poll.children[poll.dataset.right]?.classList.add("right");
  }
  slide.querySelector("#show-answer").remove();
  tell("revealed", { answer: slide.querySelector(".poll").dataset.right, reason: "" });
}

function press(event) {
  const { at, total } = slideNow() ?? {};
  if (!presenting() || !question || question.revealed || !NEXT.includes(event.key) || at < total) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  reveal();
}

function prepare(poll) {
  const choices = [...poll.children].map(({ dataset }) => dataset.text);
  question = { id: [item.title, ...choices].join("|").slice(0, 200), prompt: item.title, choices };
  poll.dataset.question = question.id;
  const button = Object.assign(document.createElement("button"), { type: "button", id: "show-answer", className: "range", textContent: "Show the votes" });
  button.addEventListener("click", reveal);
  poll.after(button);
}

async function show() {
  if (item) {
    slide.replaceChildren(Object.assign(document.createElement("h1"), { textContent: item.title }), await slideOf(item));
    slide.dataset.markdown = item.text;
    const poll = slide.querySelector(".poll");
    if (poll) prepare(poll);
  }
  await Promise.all([...slide.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
  slide.removeAttribute("data-arriving");
  document.dispatchEvent(new CustomEvent("arrived"));
  ask();
}

document.addEventListener("presented", ask);
addEventListener("keydown", press, { capture: true });
show();
