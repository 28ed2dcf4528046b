// The merge tree and the reasons for each boundary, fetched while that section is open.

import { part } from "../part.js";
import { player } from "./page.js";

const PAUSE = 150; // milliseconds without a step
const about = document.getElementById("about");
let timer = 0;
let latest = 0;

async function load() {
  if (!about.open || !player.total) return;
  const step = (latest = player.step);
  const content = await part("/steps/about", { step }).catch(() => null); // the next step fetches it again
  if (content && step === latest) document.getElementById("about-content").replaceChildren(content);
}

player.addEventListener("shown", () => {
  clearTimeout(timer);
  timer = setTimeout(load, PAUSE);
});
about.addEventListener("toggle", load);
document.addEventListener("htmx:after:swap", load);
