// Presenter mode: a class of the root element, and full screen where the browser grants it. Listeners of "presented" lay
// out their slides, and of "canvas", when the canvas was turned to the other side. The next page goes on with it.

import { placeCanvas } from "./canvas.js";
import { frame } from "./framed.js";

const root = document.documentElement;
const KEY = "tokenarium-presenting"; // in this tab, until the presentation ends

export const presenting = () => root.classList.contains("presenting");

let leaving = false; // full screen ends a moment after it was asked to
let windowed = false; // a second window ends full screen, but not the presentation

export function allowWindow() {
  windowed = Boolean(document.fullscreenElement);
}

async function fillScreen(on) {
  if (frame) return;
  try {
    if (on && !document.fullscreenElement && navigator.userActivation.isActive) await root.requestFullscreen();
    if (!on && document.fullscreenElement) leaving = true, await document.exitFullscreen();
  } catch {
    leaving = false; // a browser that refuses full screen shows the slides in its window
  }
}

function remember(on) {
  try {
    if (on) sessionStorage.setItem(KEY, "1");
    else sessionStorage.removeItem(KEY);
  } catch { /* without it, the next page begins as a page */ }
}

export function wasPresenting() {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

export function present(on = !presenting()) {
  if (on === presenting()) return;
  if (frame && !on) return void parent.document.dispatchEvent(new CustomEvent("lecture:end"));
  placeCanvas();
  root.classList.toggle("presenting", on);
  remember(on);
  for (const button of document.querySelectorAll("[data-do=present]")) button.setAttribute("aria-pressed", on);
  document.dispatchEvent(new CustomEvent("presented"));
  fillScreen(on);
}

addEventListener("resize", () => placeCanvas() && presenting() && document.dispatchEvent(new CustomEvent("canvas")));
document.addEventListener("fullscreenchange", () => {
  if (document.fullscreenElement) return;
  const [asked, another] = [leaving, windowed];
  leaving = windowed = false;
  if (another) return;
  if (!asked) present(false);
  else if (presenting() && navigator.userActivation.isActive) fillScreen(true); // P was pressed again in the meantime
});
