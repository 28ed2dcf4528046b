// What went wrong comes back (Leitner): a card for each question in one of five boxes, kept in this browser alone. A right
// answer to a card that is due moves it to the next box, which waits longer; a wrong one puts it into the first.

import { keep, read } from "./stored.js";

const KEY = "tokenarium-boxes";
const DAYS = [0, 1, 3, 7, 16]; // for which a card waits in each box; after the last it is known
const MOST = 200; // cards; the oldest go
const DAY = 86_400_000;

function cards() {
  const kept = read(KEY, []);
  return Array.isArray(kept) ? kept : [];
}

function note(verdict, { scene, kind, text, title }) {
  const all = cards();
  const at = all.findIndex((card) => card.scene === scene && card.kind === kind && card.text === text);
  const now = Date.now();
  if (verdict === "wrong") {
    if (at >= 0) all.splice(at, 1);
    all.push({ scene, kind, text, title, box: 0, due: now });
  } else if (verdict === "right" && at >= 0 && all[at].due <= now) {
    const box = all[at].box + 1;
    if (box < DAYS.length) Object.assign(all[at], { box, due: now + DAYS[box] * DAY });
    else all.splice(at, 1);
  } else return;
  keep(KEY, all.slice(-MOST));
}

// The verdicts of the page: a scene has one, a sheet of practice several. Those about one text are right together.
function check() {
  const cards = new Map();
  for (const { dataset: { scene, kind, text, title, verdict } } of document.querySelectorAll(".learn-practice .predict")) {
    const card = JSON.stringify({ scene, kind, text, title });
    cards.set(card, [...(cards.get(card) ?? []), verdict]);
  }
  for (const [card, verdicts] of cards) {
    note(verdicts.includes("wrong") ? "wrong" : verdicts.every((one) => one === "right") ? "right" : "open", JSON.parse(card));
  }
  const asked = document.querySelector(".learn-view .predict[data-verdict]");
  const title = document.querySelector("h1")?.textContent;
  const text = document.getElementById("text")?.value;
  if (asked) note(asked.dataset.verdict, { scene: location.pathname.split("/")[2], kind: asked.dataset.kind ?? "choose", text, title });
  list();
}

const address = ({ scene, kind, text }) =>
  `/learn/${encodeURIComponent(scene)}/practice?${new URLSearchParams({ kind, text })}`;

// What comes next is a question that is to be repeated, if there is one but this.
function lead(due) {
  const { scene, text } = document.querySelector(".predict[data-scene]")?.dataset ?? {};
  const next = due.find((card) => card.scene === scene && card.text !== text);
  const link = document.querySelector("[data-next-card]");
  if (link && next) link.href = address(next);
}

function list() {
  const place = document.querySelector(".learn-repeat");
  if (!place) return;
  const all = cards();
  const due = all.filter((card) => card.due <= Date.now());
  lead(due);
  const later = all.length - due.length;
  const said = due.length ? `${due.length} to repeat now:` : "Nothing to repeat now.";
  place.querySelector("[data-due]").textContent = later ? `${said} ${later} later.` : said;
  place.querySelector("ol").replaceChildren(...due.map(({ scene, kind, text, title }) => {
    const item = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: address({ scene, kind, text }), textContent: title });
    item.append(link, `: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);
    return item;
  }));
}

document.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-forget-cards]")) return;
  localStorage.removeItem(KEY);
  list();
});
document.addEventListener("htmx:after:swap", check);
check();
