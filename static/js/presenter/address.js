// A path that shows this page, with its text, options and step, to anybody.

import { read } from "../form_state.js";
import { pack } from "../pack.js";

const MAX_LENGTH = 6000; // characters of a state that a link carries

export async function addressOf() {
  const form = document.getElementById("lab");
  const own = location.pathname + location.search;
  if (!form || location.protocol === "file:") return own;
  const chosen = document.querySelector(".menu [aria-current]");
  const fields = read().filter(([name]) => name !== "answer");
  const step = document.querySelector(".result-view")?.dataset.step ?? document.querySelector("[data-step-field]")?.value;
  if (chosen && step) return `${chosen.getAttribute("href")}&step=${document.querySelector("[data-step-field]").value}`;
  if (form.matches(".learn-desk")) return `${location.pathname}?${new URLSearchParams([["text", form.elements.text.value], ["step", step ?? 0]])}`;
  if (!document.getElementById("link")) return own;
  const state = await pack(fields);
  return state.length > MAX_LENGTH ? own : `${location.pathname}#${state}`;
}
