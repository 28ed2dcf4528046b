// An alternative under the pointer lights its words, and a word its alternative; a word that is selected says why each
// alternative before did not match. The arrow keys select the words of the text, which are one stop of Tab.

const form = document.getElementById("lab");
const result = document.getElementById("result");
let latest = 0;

function light(number) {
  result.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
  result.toggleAttribute("data-lit", Boolean(number));
  if (number) result.querySelectorAll(`[data-alternative="${number}"]`).forEach((one) => one.classList.add("lit"));
}

async function explain(cell) {
  const at = cell.dataset.at;
  const turn = ++latest;
  for (const one of result.querySelectorAll(".on")) one.classList.remove("on");
  cell.classList.add("on");
  light(cell.dataset.alternative);
  const body = new URLSearchParams(new FormData(form));
  body.set("at", at);
  const answer = await fetch("/regex/word", { method: "POST", body, headers: { "HX-Request": "true", "HX-Request-Type": "partial" } });
  const text = await answer.text();
  if (turn === latest && cell.isConnected) result.querySelector(".why").innerHTML = text;
}

const numbered = (target) => target.closest?.("#result [data-alternative]");
document.addEventListener("pointerover", ({ target }) => light((numbered(target) ?? result.querySelector(".on"))?.dataset.alternative));
document.addEventListener("click", ({ target }) => {
  const cell = target.closest("#result [data-at]");
  if (cell && getSelection().isCollapsed) explain(cell);
});
document.addEventListener("keydown", (event) => {
  const text = event.target.closest?.("#result .text");
  const way = text && getComputedStyle(text).direction === "rtl" ? -1 : 1;
  const by = { ArrowRight: way, ArrowLeft: -way }[event.key];
  const cells = by && text ? [...text.querySelectorAll("[data-at]")] : [];
  if (!cells.length || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const from = cells.findIndex((cell) => cell.matches(".on"));
  const cell = cells[Math.max(0, Math.min(cells.length - 1, from < 0 ? 0 : from + by))];
  cell.scrollIntoView({ block: "nearest" });
  explain(cell);
}, { capture: true });
document.addEventListener("htmx:before:swap", ({ detail }) => detail.ctx.target === result && (latest += 1));
