// The hall of the page that is presented: its door, its votes, and what its phones see.

import { follow } from "./live.js";

const AGAIN = 1_000; // milliseconds until the next try
const CALM = 1_500; // after a reveal, for which the slides of its own picture leave the votes on the screen
const NOTICE = 8_000; // for which a refusal is shown
const MAX_TOKENS = 600;
const MAX_CHOICES = 40;
let [key, stage, screen, revealed, stop, entering] = ["", null, null, 0, () => {}, false];
const queue = new Map(); // what the phones have not yet, the latest of each kind

export function begin(options) {
  ({ key, stage } = options);
}

export async function enter({ open }) {
  if (screen) return open && toggle();
  if (entering) return undefined;
  entering = true;
  try {
    const code = localStorage.getItem(key);
    const found = (code && (await ask(`/hall/${code}/screen`, "GET"))) || (open && (await ask("/hall", "POST")));
    if (found) show(found, open);
  } finally {
    entering = false;
  }
  return undefined;
}

async function ask(address, method) {
  const answer = await fetch(address, { method, headers: { "HX-Request": "true" } });
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  const found = holder.content.firstElementChild;
  if (answer.ok && !("closed" in found.dataset)) return found;
  localStorage.removeItem(key);
  if (method === "POST") refuse(holder.content.textContent.trim());
  return null;
}

function refuse(text) {
  const notice = document.createElement("div");
  notice.className = "hall-screen";
  notice.innerHTML = '<link rel="stylesheet" href="/static/css/hall_screen.css"><p class="hall-said" role="alert"></p>';
  notice.lastElementChild.textContent = text;
  document.body.append(notice);
  setTimeout(() => notice.remove(), NOTICE);
}

function show(found, open) {
  screen = found;
  localStorage.setItem(key, screen.dataset.code);
  screen.classList.toggle("show-door", open);
  document.body.append(screen);
  stop = follow(screen, { onState: (state) => (state === "over" ? leave("The hall is closed.") : say(state === "away" ? "No connection to the hall …" : "")) });
  for (const [kind, detail] of stage) put(kind, detail);
}

function say(text) {
  screen.querySelector(".hall-said").textContent = text;
}

// One thing at a time: what is on the screen goes first.
function toggle() {
  if (screen.classList.contains("show-votes")) screen.classList.remove("show-votes");
  else screen.classList.toggle("show-door");
}

export function tell(kind, detail) {
  if (!screen) return;
  if (kind === "asked") screen.classList.remove("show-votes");
  if (kind === "slide" && Date.now() - revealed > CALM) screen.classList.remove("show-votes");
  if (kind === "revealed") {
    revealed = Date.now();
    screen.classList.remove("show-door");
    screen.classList.add("show-votes");
  }
  put(kind, detail);
}

// Bring what is told within the bounds of the server.
function trim(kind, detail) {
  const text = (value, most) => String(value ?? "").slice(0, most);
  if (kind === "asked") return { kind, id: text(detail.id, 200), prompt: text(detail.prompt, 2000), choices: detail.choices.slice(0, MAX_CHOICES).map((one) => text(one, 500)) };
  if (kind === "revealed") return { kind, id: text(detail.id, 200), answer: detail.answer, reason: text(detail.reason, 4000) };
  let left = MAX_TOKENS;
  const rows = (detail.rows ?? []).slice(0, 40).map((row) => {
    const part = row.slice(0, left);
    left -= part.length;
    return part.map(({ text: one, id }) => ({ text: text(one, 200), id: /^\d{1,15}$/.test(id ?? "") ? Number(id) : null }));
  });
  return { kind, at: detail.at, total: detail.total, title: text(detail.title, 300), caption: text(detail.caption, 2000), rows, address: text(detail.address, 8192) };
}

let sending = false;
async function put(kind, detail) {
  queue.delete(kind);
  queue.set(kind, trim(kind, detail));
  if (sending) return;
  sending = true;
  while (queue.size && screen) {
    const [[next, body]] = queue;
    const status = await post(body);
    if (status === 403 || status === 404 || status === 422) leave(status === 422 ? "The hall does not take this slide." : "This browser no longer leads the hall.", status !== 422);
    if (status >= 500 || status === 0 || status === 429) await new Promise((done) => setTimeout(done, AGAIN));
    else if (queue.get(next) === body) queue.delete(next);
  }
  sending = false;
}

async function post(body) {
  try {
    const answer = await fetch(`/hall/${screen.dataset.code}/stage`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return answer.status;
  } catch {
    return 0;
  }
}

function leave(text, gone = true) {
  say(text);
  if (!gone) return;
  stop();
  localStorage.removeItem(key);
  screen.remove();
  screen = null;
}
