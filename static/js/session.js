// One text everywhere: the text, the tokenizer and the policy for special tokens follow from page to page, and through
// back, forward and reload. They lie in the session storage of this tab until it is closed or Clear is pressed. A link
// wins over them, and so does what a form has sent; but a page that is loaded anew shows what it showed, though its address
// may be older: while a page goes, browsers drop what is written into it.

import { applyChoices, applyText, choices } from "./session/fields.js";
import { isOwnAddress, ownAddress } from "./session/address.js";
import { KEY, stored } from "./session/stored.js";
import { frame } from "./presenter/framed.js";

const form = document.getElementById("lab");
const given = Boolean(location.hash.length > 1 || location.search || "posted" in document.body.dataset);
const reloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
const wins = Boolean(frame) || (given && !reloaded && !isOwnAddress()); // an item of a lecture is what its address says
const changed = new Set(); // names of the fields that were chosen here; a page's own default is not carried to others
let touched = wins;

function save(more = {}, { all = wins } = {}) {
  const field = form.elements.text;
  if (frame || field?.disabled) return; // a file takes the place of the text
  const text = field ? { text: field.value } : {};
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...stored(), ...text, ...choices(form, (name) => all || changed.has(name)), ...more }));
  } catch { /* too long for the storage: it stays on this page alone */ }
}

function apply() {
  const state = stored();
  const { pathname } = location;
  if (!Object.keys(state).length || (pathname === "/train" && state.carried !== pathname)) return;
  const chosen = applyChoices(form, state);
  const typed = applyText(form, state.text);
  touched = true;
  save({ carried: undefined }); // it is taken along once
  if (chosen) form.dispatchEvent(new CustomEvent("restored"));
  const { text, tokenizer } = form.elements;
  if (text && (chosen || typed)) text.dispatchEvent(new Event("input", { bubbles: true }));
  else if (chosen) tokenizer.dispatchEvent(new Event("change", { bubbles: true }));
}

function touch({ target }) {
  if (target.name) changed.add(target.name);
  if (!touched || given) ownAddress();
  touched = true;
}

for (const event of ["input", "change"]) form.addEventListener(event, touch);
document.addEventListener("click", ({ target }) => {
  if (target.closest("button[name=example], [data-unpick]")) touch({ target: form.elements.tokenizer ?? form });
  if (target.closest("[data-carry]")) save({ carried: new URL(target.closest("a").href).pathname }, { all: true });
  if (!target.closest("#clear")) return;
  sessionStorage.removeItem(KEY);
  touched = false;
  // The text that the address carries is gone as well, also where the page is loaded anew before the next answer.
  history.replaceState({ ...history.state, own: true }, "", location.pathname + location.search);
});
addEventListener("hashchange", () => (touched = true));
// Not only when the page goes: a phone ends a page without a word.
document.addEventListener("htmx:after:swap", () => touched && save());
addEventListener("pagehide", () => touched && save());
addEventListener("pageshow", ({ persisted }) => persisted && apply());
if (!wins) {
  // A page that keeps its state in its address has restored it by then; the text of this tab is the newer one.
  if (location.hash.length > 1) form.addEventListener("restored", apply, { once: true });
  else apply();
}
