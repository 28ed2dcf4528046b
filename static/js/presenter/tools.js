// What the keys do on every slide: E edits the text, ? lists the keys, B blacks out the screen, digits and Enter go to a
// slide, W to the next word, S opens the view of the speaker.

import { edit } from "./edit.js";
import { keys } from "./keys.js";
import { present, presenting, wasPresenting } from "./mode.js";
import { overlay } from "./overlay.js";
import { openSpeaker } from "./speaker.js";
import { talk } from "./talk.js";

const KEYS = [
  [["→", "Space", "Page down"], "next slide"], [["←", "Page up"], "slide before"], [["Home", "End"], "first, last slide"], [["1", "2", "Enter"], "slide 12"],
  [["W"], "next word (Steps)"], [["F"], "formula (scenes)"], [["C"], "code (scenes)"],
  [["E"], "edit the text here"], [["B"], "black screen"], [["S"], "view of the speaker"], [["P", "Escape"], "end"],
];
let digits = "";
let shown = null;

// Show an overlay in place of any other, or, if it was that one, none.
function toggle(name, fill) {
  const same = shown?.matches(`.${name}`);
  shown?.remove();
  shown = same ? null : overlay(name, fill);
}

function showKeys(box) {
  const list = document.createElement("dl");
  for (const [names, does] of KEYS) {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    for (const name of names) term.append(Object.assign(document.createElement("kbd"), { textContent: name }), " ");
    description.textContent = does;
    list.append(term, description);
  }
  box.append(Object.assign(document.createElement("h2"), { textContent: "Keys" }), list);
}

function collect(digit) {
  digits = (digits + digit).slice(-4);
  shown?.remove();
  shown = overlay("jump", (box) => box.append(digits));
}

function jump() {
  if (!digits) return false;
  const to = Number(digits);
  close();
  talk.go(to);
  return true;
}

function close() {
  digits = "";
  shown?.remove();
  shown = null;
}

const while_ = (move) => () => (presenting() ? move() : false);
keys({
  e: while_(() => (close(), edit())), "?": while_(() => toggle("keys", showKeys)), b: while_(() => toggle("black", () => {})),
  s: while_(openSpeaker), w: while_(() => talk.word()), Enter: while_(jump),
  ...Object.fromEntries([..."0123456789"].map((digit) => [digit, while_(() => collect(digit))])),
});
// Any other key, and Escape, takes an overlay away first.
document.addEventListener("keydown", (event) => {
  if (!shown || /^[\d?]$|^Enter$|^b$|^Shift$/i.test(event.key)) return;
  close();
  if (event.key === "Escape") event.stopImmediatePropagation(), event.preventDefault();
}, { capture: true });
document.addEventListener("presented", close);
if (wasPresenting()) addEventListener("load", () => present(true));
