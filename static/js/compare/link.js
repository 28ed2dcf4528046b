// The address remembers text, tokenizers and options behind the #, compressed. That part of an address is never sent.

import { copyText, say } from "../clipboard.js";
import { removeFile } from "../files.js";
import { pack, packed, unpack } from "../pack.js";
import { tokenize } from "../typing.js";
import { settle } from "./choice.js";

const form = document.getElementById("lab");
const file = document.getElementById("file");
const MOST = 8192;

async function state() {
  const fields = [...new FormData(form)].filter(([name, value]) => name !== "file" && value !== "");
  const small = await pack(fields);
  return small.length > MOST ? pack(fields.filter(([name]) => name !== "text")) : small;
}

const whole = async () => !file.files.length && (await pack([...new FormData(form)].filter(([name]) => name !== "file"))).length <= MOST;

async function remember() {
  document.querySelectorAll(".restored").forEach((field) => field.remove());
  history.replaceState(null, "", `${location.pathname}#${await state()}`);
}

async function share() {
  await remember();
  const text = await whole() ? "It carries the text itself; nothing is stored." : "The text is too long for a link: it carries only what is chosen.";
  return copyText(location.href, `Link copied. ${text}`);
}

// A field that the page does not have yet, such as the price of a model that is not in sight, goes along hidden once.
function set(name, values) {
  const fields = [...form.elements].filter((field) => field.name === name && field.type !== "submit");
  for (const field of fields) {
    if (["radio", "checkbox"].includes(field.type)) field.checked = values.includes(field.value);
    else field.value = values.at(-1);
  }
  if (fields.some((field) => !["radio", "checkbox"].includes(field.type) || field.checked)) return;
  for (const value of values) {
    const hidden = Object.assign(document.createElement("input"), { type: "hidden", name, value, className: "restored" });
    form.append(hidden);
  }
}

async function restore() {
  if (!packed()) return;
  try {
    const state = Map.groupBy(await unpack(packed()), ([name]) => name);
    removeFile();
    for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = false;
    document.getElementById("edges").checked = false;
    for (const [name, fields] of state) set(name, fields.map(([, value]) => value));
    settle();
    tokenize();
  } catch {
    say("This link is damaged or cut short.");
  }
}

document.getElementById("link").addEventListener("click", share);
document.addEventListener("htmx:after:swap", remember);
addEventListener("hashchange", restore);
restore();
