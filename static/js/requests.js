// Keep htmx from sending the address, whose fragment may carry a text; leave downloads to the browser; dim a result that
// is older than the form, show no count of a text that is another one by now, and announce the new result once the typing
// rests.

import "./refusals.js";

const REST = 700; // milliseconds until a result is announced
const LATE = 200; // milliseconds until a count is left open
const result = document.getElementById("result");
let timer;
let late;

document.addEventListener("htmx:config:request", (event) => {
  delete event.detail.ctx.request.headers["HX-Current-URL"];
});

document.addEventListener("submit", (event) => {
  if (event.submitter?.hasAttribute("formaction")) event.stopImmediatePropagation();
}, { capture: true });

document.addEventListener("htmx:before:request", ({ detail }) => {
  if (detail.ctx.target !== result) return;
  result.setAttribute("data-stale", "");
  clearTimeout(late);
  late = setTimeout(() => leaveOpen(), LATE);
});

function leaveOpen(sign = "…") {
  for (const count of document.querySelectorAll(".counts [data-count]")) count.textContent = sign;
}

// Without a text, the last picture stays, dimmed.
document.getElementById("lab")?.addEventListener("emptied", ({ target }) => {
  target.dispatchEvent(new CustomEvent("htmx:abort"));
  clearTimeout(late);
  result.setAttribute("data-stale", "");
  fail("Type something to see its tokens.");
});

export function fail(message) {
  const said = document.getElementById("said");
  said.classList.add("failed");
  said.textContent = message;
}

export function recover() {
  const said = document.getElementById("said");
  if (said.matches(".failed")) said.classList.remove("failed"), (said.textContent = "");
}

function announce() {
  document.getElementById("announce").textContent = document.querySelector(".counts, .compared")?.dataset.said ?? "";
}

document.addEventListener("htmx:before:swap", ({ defaultPrevented }) => {
  clearTimeout(late);
  if (defaultPrevented && result.matches("[data-stale]")) leaveOpen("–");
});

document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.target !== result) return;
  result.toggleAttribute("data-stale", Boolean(document.querySelector("#lab[data-waiting]")));
  if (result.querySelector(":scope > .problem")) leaveOpen("–"); // there is none
  recover();
  clearTimeout(timer);
  timer = setTimeout(announce, REST);
});

document.addEventListener("htmx:error", () => fail("Can’t reach the server. These results are out of date; your text is safe."));
