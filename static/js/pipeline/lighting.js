// What is under the pointer or the focus lights the same part of the input in every band, among the tokens and in what the
// model receives; the way of it is written below the bands, and announced for who cannot see it.

import { showWay } from "./way.js";

const result = document.getElementById("result");
const said = document.getElementById("lit");
let lit = [];
let current = null;

export function overlaps(one, other) {
  const [from, to, start, end] = [one.dataset.s, one.dataset.e, other.dataset.s, other.dataset.e].map(Number);
  return from === to || start === end ? from === start && to === end : from < end && start < to;
}

const placeOf = (target) => target?.closest?.("#result [data-s]");
const nameOf = (cell) => cell.closest("tr").querySelector("th").textContent.trim();

function light(place) {
  current = place;
  for (const one of result.querySelectorAll(".lit, .acts")) one.classList.remove("lit", "acts");
  lit = place ? [...result.querySelectorAll("[data-s]")].filter((one) => overlaps(one, place)) : [];
  for (const one of lit) one.classList.add("lit");
  lit = lit.filter((one) => one.closest(".system"));
  for (const one of lit) if (one.matches(".gone, :has(.changed, .inserted)")) cardOf(one.closest("tr"))?.classList.add("acts");
  if (place) showWay(result, place, lit);
}

// The card of the component of a band, and the bands of a card.
const own = ({ dataset: { stage, at } }) => `[data-stage="${stage}"][data-at="${at}"]`;
const cardOf = (row) => result.querySelector(`.card${own(row)}`);
function nameBands(card) {
  for (const row of result.querySelectorAll(".band.named")) row.classList.remove("named");
  if (card?.dataset.at !== undefined) for (const row of result.querySelectorAll(`.band${own(card)}`)) row.classList.add("named");
}

document.addEventListener("pointerover", ({ target }) => {
  const place = placeOf(target) ?? placeOf(document.activeElement) ?? null;
  if (place !== current) light(place);
  nameBands(target.closest?.(".card") ?? document.activeElement.closest(".card"));
});

document.addEventListener("focusin", ({ target }) => {
  const place = placeOf(target) ?? null;
  light(place);
  nameBands(target.closest?.(".card"));
  if (!place) return;
  const bands = new Map();
  for (const one of lit) bands.set(nameOf(one), (bands.get(nameOf(one)) ?? "") + one.textContent.trim());
  said.textContent = [...bands].map(([name, text]) => `${name}: ${text}`).join("; ");
});

document.addEventListener("focusout", () => light(null));
document.addEventListener("htmx:after:swap", () => light(null));
