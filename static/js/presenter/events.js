// What others learn of a presentation: the slide that is on the screen, and that there is none beyond it.

import { addressOf } from "./address.js";

let latest = null;

export const slideNow = () => latest;

// `at` counts from 1.
export async function tellSlide(slide) {
  const told = (latest = { caption: "", ...slide, address: "" });
  told.address = await addressOf();
  if (told === latest) document.dispatchEvent(new CustomEvent("slide", { detail: told }));
}

// Next beyond the last slide, or Back before the first: whether nobody took it.
export const passEnd = (by) => document.dispatchEvent(new CustomEvent(by > 0 ? "deck:end" : "deck:begin", { cancelable: true }));
