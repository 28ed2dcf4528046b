// The downloaded file: it holds its frames, compressed, window by window.

import { fit } from "tokenarium/presenter/fit";
import { keys } from "tokenarium/presenter/keys";
import { present } from "tokenarium/presenter/mode";
import { control } from "tokenarium/steps/control";
import { glide } from "tokenarium/steps/motion";
import { Player } from "tokenarium/steps/player";
import * as predict from "tokenarium/steps/predict";
import { before, place, show } from "tokenarium/steps/stage";

async function load(from) {
  const held = document.querySelector(`[data-window="${Math.floor(from / 32)}"]`).textContent;
  const bytes = Uint8Array.from(atob(held), (char) => char.charCodeAt(0));
  const html = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return [...holder.content.firstElementChild.children];
}

const player = new Player(load);
const { total, step } = document.querySelector(".result-view").dataset;
control({ player, show, before, place, glide, keys, present, fit, predict });
player.begin(Number(total), Number(step));
place(Number(step), Number(total));
before();
