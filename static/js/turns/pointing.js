// Point at a token of a lane, or focus it, for its line; a click, or Enter, copies its id.

import { copyText } from "../clipboard.js";
import { mark, showPointed, tokenAt } from "../pointing.js";

const line = document.querySelector("[data-pointed]");
const POINT = line.textContent;

for (const event of ["pointerover", "focusin"]) {
  document.addEventListener(event, ({ target }) => {
    const token = tokenAt(target);
    if (token) showPointed(line, token);
    else if (event === "pointerover") mark("on", []);
  });
}

function copy(token) {
  const { start, ids } = token.closest(".window").dataset;
  const id = ids.split(" ")[token.dataset.i - start];
  copyText(id, `Id ${id} copied.`);
}

document.addEventListener("click", ({ target }) => {
  const token = tokenAt(target);
  if (token && getSelection().isCollapsed) copy(token);
  else if (target.closest("[data-copy-text]")) copyText(target.dataset.copyText, `Id ${target.dataset.copyText} copied.`);
});

document.addEventListener("keydown", (event) => {
  const token = tokenAt(event.target);
  if (!token || !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  copy(token);
});

function begin() {
  document.querySelectorAll(".window.cut").forEach((window) => window.dispatchEvent(new CustomEvent("shown", { bubbles: true })));
}

document.addEventListener("htmx:after:swap", () => {
  line.textContent = POINT;
  begin();
});
begin();
