// What others learn of a presentation: the slide that is on the screen, and that there is none beyond it.

import { addressOf } from "./address.js";

let latest = null;

export const slideNow = () => latest;

// `rows` are the rows of tokens on the slide; `at` counts from 1.
export async function tellSlide(slide) {
  const told = (latest = { rows: [], caption: "", ...slide, address: "" });
  told.address = await addressOf();
  if (told === latest) document.dispatchEvent(new CustomEvent("slide", { detail: told }));
}

// Next beyond the last slide, or Back before the first: whether nobody took it.
export const passEnd = (by) => document.dispatchEvent(new CustomEvent(by > 0 ? "deck:end" : "deck:begin", { cancelable: true }));

// The tokens of what is shown, row by row: tiles, or the tokens of a text.
export function rowsOf(box) {
  const rows = [...box.querySelectorAll(".rows > .row")].map((row) => [...row.querySelectorAll("b")]);
  const texts = rows.length ? rows : [...box.querySelectorAll(".text")].map((text) => [...text.querySelectorAll(".tok")].slice(0, 300));
  return texts.map((row) => row.map((one) => ({ text: one.dataset.text ?? one.textContent, ...(one.dataset.id && { id: Number(one.dataset.id) }) })));
}
