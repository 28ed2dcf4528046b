// The page online: frames come from the server, by the key of the run.

import { part, result } from "../part.js";
import { control } from "./control.js";
import { keys } from "./keys.js";
import { glide } from "./motion.js";
import { Player } from "./player.js";
import * as predict from "./predict.js";
import { present } from "./presenter.js";
import { before, place, show } from "./stage.js";

export const player = new Player(async (from) => [...(await part("/steps/frames", { step: from })).children]);
const bar = document.querySelector(".player");
const caption = document.getElementById("caption");

control({ player, show, before, place, glide, keys, present, predict });

function begin() {
  const sheet = result.querySelector(".sheet");
  bar.toggleAttribute("inert", !sheet);
  predict.drop();
  if (!sheet) return caption.replaceChildren();
  const { total, step } = sheet.dataset;
  player.begin(Number(total), Number(step));
  place(Number(step), Number(total));
  before();
  return undefined;
}

function renew() {
  const opening = document.getElementById("opening");
  if (opening) caption.replaceChildren(...opening.childNodes);
  begin();
}

// What is typed or chosen is followed from its first step, and is the example no more.
document.getElementById("lab").addEventListener("input", () => {
  document.querySelector("[data-step-field]").value = 0;
  document.querySelector(".worked [aria-current]")?.removeAttribute("aria-current");
  document.querySelector(".shows")?.remove();
});
document.addEventListener("htmx:after:swap", renew);
begin();
