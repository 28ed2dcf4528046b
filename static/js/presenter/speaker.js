// The view of the speaker in a second window: this slide, the next one, the notes, and the clock. This page writes into
// that window, and takes its keys.

import { slideNow } from "./events.js";
import { frame } from "./framed.js";
import { allowWindow, presenting } from "./mode.js";
import { talk } from "./talk.js";

const NAME = "tokenarium-speaker";
let speaker = null;
let opened = 0;
// What is presented: this page, or the item of a lecture (static/js/lecture/presentation.js).
let source = { page: () => document, slide: slideNow, next: talk.preview, notes: () => [], begun: () => opened };

export function speakFor(other) {
  source = other;
}

// The page that is presented, the canvas of the next slide, and the notes.
export const presented = {
  page: () => source.page(),
  next: () => source.next(),
  notes: () => [...source.notes(), ...[...source.page().querySelectorAll("main [data-notes]")].map((one) => one.textContent)].map((one) => one.trim()).filter(Boolean),
};

const open = () => speaker && !speaker.closed;
const add = (parent, name, className, text = "") => parent.appendChild(Object.assign(speaker.document.createElement(name), { className, textContent: text }));

// Sheets and properties of the root element, without which a slide looks different.
function dress(root, page) {
  if (root.page === page) return;
  Object.assign(root, { page, className: "presenting", lang: "en" });
  const copies = [...page.querySelectorAll("link[rel=stylesheet], style")].map((sheet) => {
    const copy = root.ownerDocument.importNode(sheet, true);
    if (copy.href) copy.href = sheet.href;
    copy.onload = () => renew();
    return copy;
  });
  root.querySelector("head").replaceChildren(...copies);
  root.querySelector("body").className = page.body.className;
}

function build() {
  const { documentElement: root, body } = speaker.document;
  speaker.document.title = "Speaker · Tokenarium";
  body.replaceChildren();
  delete root.page;
  dress(root, document);
  root.className = "speaker";
  for (const name of ["now", "next"]) add(body, "iframe", `speaker-${name}`).title = name === "now" ? "This slide" : "Next slide";
  add(body, "p", "speaker-clock");
  add(body, "div", "speaker-notes");
  speaker.onresize = () => renew();
  speaker.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
  };
}

// A canvas, copied with the places to which its parts are scrolled, in a frame of the window.
function mirror(frame, canvas) {
  const { documentElement: root, body } = frame.document;
  const page = canvas?.node.ownerDocument ?? document;
  const whole = page.documentElement.style;
  dress(root, page);
  for (const name of ["width", "height"]) root.style.setProperty(`--canvas-${name}`, whole.getPropertyValue(`--canvas-${name}`));
  const scale = frame.innerWidth / parseFloat(whole.getPropertyValue("--canvas-width"));
  for (const [name, value] of Object.entries({ scale, left: "0px", top: "0px" })) root.style.setProperty(`--canvas-${name}`, value);
  if (!canvas) return body.replaceChildren();
  root.style.setProperty("--rem", `${canvas.rem}px`);
  const copy = frame.document.importNode(canvas.node, true);
  body.replaceChildren(copy);
  const box = copy.querySelector(".slide, [data-fit]");
  if (box) box.scrollTop = canvas.top;
}

function tick() {
  if (!open()) return;
  const clock = speaker.document.querySelector(".speaker-clock");
  const minutes = Math.floor((Date.now() - source.begun()) / 60_000);
  const { at = 1, total = 1 } = source.slide() ?? {};
  if (clock) clock.textContent = `${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })} · ${minutes} min · ${at}${total ? ` of ${total}` : ""}`;
}

async function renew() {
  if (!open() || !presenting()) return;
  const page = source.page();
  const node = page.querySelector(".deck, main.canvas");
  const box = node?.querySelector(".slide, [data-fit]");
  const rem = parseFloat(getComputedStyle(page.documentElement).fontSize);
  mirror(speaker.frames[0], node && { node, rem, top: box?.scrollTop ?? 0 });
  const place = speaker.document.querySelector(".speaker-notes");
  place.replaceChildren();
  for (const note of presented.notes()) add(place, "p", "", note);
  tick();
  mirror(speaker.frames[1], await source.next());
}

export function openSpeaker() {
  if (!open()) allowWindow();
  speaker = window.open("", NAME, "popup,width=1280,height=800");
  if (!speaker) return false;
  opened ||= Date.now();
  try {
    sessionStorage.setItem(NAME, "1");
  } catch { /* the next page then has none until S is pressed */ }
  build();
  renew();
  return true;
}

setInterval(tick, 5000);
for (const kind of ["slide", "ahead"]) document.addEventListener(kind, renew);
document.addEventListener("presented", () => {
  if (presenting() && !frame && !open() && sessionStorage.getItem(NAME) && window.name !== NAME) openSpeaker();
  if (!presenting() && open()) speaker.close(), sessionStorage.removeItem(NAME);
});
