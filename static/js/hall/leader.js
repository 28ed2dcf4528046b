// The hall of the page that is presented: its door, the votes in its choices, and what its phones and the page to lead from
// see. That page turns the slides as the keys here do.

import { drawBars } from "./bars.js";
import { follow } from "./live.js";
import { piecesOf, questionOn, readPicture } from "./picture.js";

const AGAIN = 1_000; // milliseconds until the next try
const NOTICE = 8_000; // for which a refusal is shown
const FULL = "The hall can take no more slides now. Trying again …";
const TURNED = "tokenarium-hall-turned"; // in this tab: how far the page to lead from has turned
const ON = ["ArrowRight", "ArrowDown", "PageDown", " "];
let [key, stage, presented, screen, stop, entering, latest] = ["", null, null, null, () => {}, false, 0];
const queue = new Map(); // what the phones have not yet, the latest of each kind

export function begin(options) {
  ({ key, stage, presented } = options);
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
  stop = follow(screen, { onPart, onState: (state) => (state === "over" ? leave("The hall is closed.") : say(state === "away" ? "No connection to the hall …" : "")) });
  for (const [kind, detail] of stage) tell(kind, detail);
  onPart();
}

function say(text) {
  screen.querySelector(".hall-said").textContent = text;
}

const toggle = () => screen.classList.toggle("show-door");
const find = (part) => screen.querySelector(`[data-part=${part}]`);
const canvasNow = () => presented.page().querySelector(".deck, main.canvas") ?? presented.page().querySelector("main");

function onPart() {
  drawBars(find("bars"), presented.page());
  const { turned } = find("turned").dataset;
  const [code, before = turned] = sessionStorage.getItem(TURNED)?.split(":") ?? [];
  sessionStorage.setItem(TURNED, `${screen.dataset.code}:${turned}`);
  const by = code === screen.dataset.code && document.documentElement.matches(".presenting") ? turned - before : 0;
  for (let left = Math.abs(by); left; left -= 1) turn(Math.sign(by));
}

const press = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

const turn = (by) => press(by > 0 ? "ArrowRight" : "ArrowLeft");

// A question of the audience is the slide until the lecturer goes on. Returns whether that took the key.
export function takes(name) {
  if (!ON.includes(name) || !screen || !find("spotlight").firstElementChild) return false;
  find("spotlight").replaceChildren();
  tell("slide", stage.get("slide"));
  return true;
}

export function tell(kind, detail) {
  if (!screen || !detail) return;
  const text = (value, most) => String(value ?? "").slice(0, most);
  const { id, form = "choose", choices = [], parts = [], unit, answer, right = answer, reason } = detail;
  if (kind === "asked") put({ kind, id: text(id, 200), form, prompt: text(detail.prompt, 2000), choices: choices.slice(0, 120).map((one) => text(one, 500)), pieces: parts.some((one) => one.querySelector("b")) ? parts.slice(0, 120).map(piecesOf) : [], unit: text(unit, 100) });
  if (kind === "revealed") screen.classList.remove("show-door"), put({ kind, id: text(id, 200), right: (right ?? null) === null ? null : text(right, 500), reason: text(reason, 4000) });
  if (kind === "slide") showSlide(detail);
}

function showSlide({ at, title, caption, address, question }) {
  const canvas = canvasNow();
  if (!canvas) return; // the item of a lecture that could not be loaded
  const shown = readPicture(canvas);
  put({ kind: "slide", ...shown, at, title: title.slice(0, 300) || shown.title, caption: caption.slice(0, 2000), address: address.slice(0, 8192), question: question ?? questionOn(canvas) });
  drawBars(find("bars"), presented.page());
  showNext();
}

document.addEventListener("ahead", () => screen && showNext());

// The last slide asked for is the one that counts.
async function showNext() {
  const mine = (latest += 1);
  const next = await presented.next().catch(() => null);
  if (mine !== latest || !screen) return;
  put({ kind: "next", shown: next && readPicture(next.node), notes: presented.notes().join("\n").slice(0, 4000) });
}

let sending = false;
async function put(event) {
  queue.delete(event.kind);
  queue.set(event.kind, event);
  if (sending) return;
  sending = true;
  while (queue.size && screen) {
    const [[next, body]] = queue;
    const status = await post(body);
    if (!screen) break; // closed meanwhile
    if (status === 403 || status === 404 || status === 422) leave(status === 422 ? "The hall does not take this slide." : "This browser no longer leads the hall.", status !== 422);
    if (status === 429) say(FULL);
    else if (status < 300 && screen?.querySelector(".hall-said").textContent === FULL) say("");
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
