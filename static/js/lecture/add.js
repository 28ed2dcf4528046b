// Add what the page shows, with its text and at its step, to the lecture that is kept in this browser.

import { say } from "../clipboard.js";
import { pack } from "../pack.js";
import { titleOf } from "./naming.js";
import { add } from "./store.js";

const form = document.getElementById("lab");

// A scene has its text and its step in the query; other pages have their whole form behind the #.
async function address() {
  const own = document.querySelector("#result [data-address]")?.dataset.address;
  if (own) return new URL(own, location.href).href;
  const { pathname } = location;
  const data = new FormData(form);
  if (pathname.startsWith("/learn/")) return `${pathname}?${new URLSearchParams({ text: data.get("text"), step: data.get("at") ?? 0 })}`;
  return `${pathname}#${await pack([...data].filter(([, value]) => typeof value === "string" && value))}`;
}

async function addPage() {
  if ([...form.elements].some((field) => field.type === "file" && field.files.length)) throw new Error("only typed text can be added, not files.");
  const scene = location.pathname.startsWith("/learn/");
  const step = Number(document.getElementById("at")?.value ?? 0);
  const title = titleOf(document, form.elements.text?.value);
  const made = add({ address: await address(), title, steps: scene && step ? "one" : "all" });
  say(`Added to “${made.title}” as item ${made.number}${scene && step ? `, step ${step} alone` : ""}. Edit it under Learn, Lecture.`);
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-lecture]")) addPage().catch((error) => say(`Not added: ${error.message}`));
});
