// How the symbols on stage came about, fetched while that is open.

import { part } from "../part.js";
import { player } from "./page.js";

const PAUSE = 150; // milliseconds without a step
const about = document.getElementById("about");
let timer = 0;
let asked = 0;

async function tell() {
  if (!about.open || !player.total) return;
  const mine = (asked = player.step);
  const told = await part("/steps/about", { step: mine });
  if (mine === asked) document.getElementById("told").replaceChildren(told);
}

player.addEventListener("shown", () => {
  clearTimeout(timer);
  timer = setTimeout(tell, PAUSE);
});
about.addEventListener("toggle", tell);
document.addEventListener("htmx:after:swap", tell);
