// The downloaded file: it holds its frames, compressed, window by window.

import "../presenter/tools.js";
import { control } from "./control.js";
import { Player } from "./player.js";
import { before, place } from "./stage.js";

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
control(player);
player.begin(Number(total), Number(step));
place(Number(step), Number(total));
before();
