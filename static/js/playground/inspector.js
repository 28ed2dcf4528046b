// The inspector: what the token under the pointer or in focus is, at once; a click, or Enter, pins it with all about it.

import { copyText } from "../clipboard.js";
import { part, result } from "../part.js";
import { mark, showPointed, tokenAt } from "../pointing.js";
import { markInText, unmarkInText } from "./text_mark.js";
import { reach } from "./windows.js";

const panel = document.getElementById("details");
const line = panel.querySelector("[data-pointed]");
const POINT = line.textContent;
const ROOM = 240; // pixels of the window that all about a token needs below the tokens
let opener = null;
let pinned = null; // the index of the token whose details are shown, or are asked for

function point(token) {
  showPointed(line, token);
  markInText(token);
}

// Nothing is pointed at: the line tells of the pinned token, or still of the last one, whose id can be copied.
function rest() {
  const token = pinned !== null && result.querySelector(`.window [data-i="${pinned}"]`);
  if (token) point(token);
  else unmarkInText();
  mark("on", []);
}

const card = () => panel.querySelector(".card");

async function open(index) {
  pinned = index;
  mark("picked", result.querySelectorAll(`.window [data-i="${index}"]`));
  const fresh = await part("/token", { token: index });
  if (pinned !== index) return;
  const box = document.querySelector(".tokens-box").getBoundingClientRect();
  panel.classList.toggle("floating", box.bottom > innerHeight - ROOM);
  if (card()) card().replaceWith(fresh);
  else panel.append(fresh);
  panel.scrollTop = 0;
  uncover();
  // Following the token takes longer than describing it, the more so the first time.
  const origin = await part("/token", { token: index, origin: 1 });
  if (pinned === index && origin?.matches(".origins")) panel.querySelector("[data-origin]")?.replaceChildren(origin);
}

// The panel can lie over the lower part of the page: the token moves up from under it.
function uncover() {
  const token = opener?.getBoundingClientRect();
  const box = panel.getBoundingClientRect();
  if (token && token.right > box.left && token.left < box.right && token.bottom > box.top - 12) scrollBy(0, token.bottom - box.top + 24);
}

function close({ restore = true } = {}) {
  pinned = null;
  const inside = panel.contains(document.activeElement);
  card()?.remove();
  panel.classList.remove("floating");
  mark("picked", []);
  rest();
  if (restore && inside) opener?.focus();
}

async function jump(index) {
  const window = await reach(index);
  const token = window?.querySelector(`[data-i="${index}"]`);
  if (!token) return;
  token.scrollIntoView({ block: "center" });
  opener = token;
  pinned = index; // the focus shall not ask for it a second time
  (token.matches("[role=button]") ? token : token.querySelector("button") ?? token).focus({ preventScroll: true });
  open(index);
}

document.addEventListener("pointerover", ({ target }) => {
  const token = tokenAt(target);
  if (token) point(token);
  else if (!panel.contains(target)) rest();
});
document.documentElement.addEventListener("pointerleave", rest);

// With the details open, the arrows show those of the next token.
document.addEventListener("focusin", ({ target }) => {
  const token = tokenAt(target);
  if (!token) return;
  point(token);
  if (card() && Number(token.dataset.i) !== pinned && target.matches(":focus-visible")) {
    opener = target;
    open(Number(token.dataset.i));
  }
});

document.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy-text]");
  if (copied) {
    const text = copied.dataset.copyText || copied.previousElementSibling.textContent;
    return void copyText(text, `${text} copied.`);
  }
  if (event.target.closest("[data-close]")) return close();
  const place = event.target.closest("[data-jump]");
  if (place) {
    event.preventDefault();
    return jump(Number(place.dataset.jump));
  }
  const token = tokenAt(event.target);
  if (!token || !getSelection().isCollapsed) return;
  event.preventDefault();
  opener = event.target.closest("button") ?? token;
  open(Number(token.dataset.i));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && card()) close();
  const token = event.target.closest?.(".window [data-i][role=button]");
  if (!token || !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  opener = token;
  open(Number(token.dataset.i));
});

document.addEventListener("htmx:after:swap", () => {
  close({ restore: false });
  line.textContent = POINT;
});
