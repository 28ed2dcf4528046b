// A link that carries the text, every option and the step behind the #, compressed. That part of an address is never sent.

import { copyText, say } from "../clipboard.js";
import { pack, packed, unpack } from "../pack.js";
import { tokenize } from "../typing.js";

const form = document.getElementById("lab");
const MOST = 8192;

async function share() {
  const small = await pack(Object.fromEntries(new FormData(form)));
  if (small.length > MOST) return say(`The text is too long for a link: ${small.length.toLocaleString("en")} characters, at most ${MOST.toLocaleString("en")}.`);
  history.replaceState(null, "", `${location.pathname}#${small}`);
  return copyText(location.href, "Link copied. It carries the text and the step; nothing is stored.");
}

function set(field, value) {
  if (field.type === "radio") field.checked = field.value === value;
  else if (field.type === "checkbox") field.checked = value !== undefined;
  else if (value !== undefined) field.value = value;
}

async function restore() {
  if (!packed()) return;
  try {
    const state = await unpack(packed());
    for (const field of form.elements) if (field.name) set(field, state[field.name]);
    tokenize();
  } catch {
    say("This link is damaged or cut short.");
  }
}

document.getElementById("link").addEventListener("click", share);
addEventListener("hashchange", restore);
restore();
