// A link that carries tokenizer, options, views and text behind the #, compressed. That part of an address is never sent.

import { copyText, say } from "./clipboard.js";
import { removeFile } from "./files.js";
import { pack, packed, unpack } from "./pack.js";
import { showChosen } from "./picker.js";
import { tokenize } from "./typing.js";

const form = document.getElementById("lab");
const MOST = 8192;

async function share() {
  if (document.getElementById("file").files.length) return say("A link carries what is typed, not a file.");
  const data = new FormData(form);
  const state = {
    t: data.get("tokenizer"), e: data.get("engine"), s: data.get("special"), m: Number(data.has("template")),
    x: document.getElementById("text").value, v: data.getAll("view"), w: Number(data.has("spaces")),
  };
  const small = await pack(state);
  if (small.length > MOST) return say(`The text is too long for a link: ${small.length.toLocaleString("en")} characters, at most ${MOST.toLocaleString("en")}.`);
  history.replaceState(null, "", `#${small}`);
  return copyText(location.href, "Link copied. It carries the text itself; nothing is stored.");
}

function choose(name, values) {
  for (const box of form.elements) {
    if (box.name === name && ["radio", "checkbox"].includes(box.type)) box.checked = values.includes(box.value);
  }
}

async function restore() {
  if (!packed()) return;
  try {
    const state = await unpack(packed());
    removeFile();
    document.getElementById("text").value = String(state.x);
    const known = [...form.elements].some((box) => box.name === "tokenizer" && box.value === state.t);
    if (known) choose("tokenizer", [state.t]);
    choose("engine", [state.e ?? "reference"]);
    choose("special", [state.s ?? "text"]);
    choose("view", state.v ?? ["text"]);
    choose("template", state.m ? ["1"] : []);
    choose("spaces", state.w ? ["1"] : []);
    showChosen();
    tokenize();
    if (!known) say("This link names a tokenizer that is not here.");
  } catch {
    say("This link is damaged or cut short.");
  }
}

document.getElementById("link").addEventListener("click", share);
addEventListener("hashchange", restore);
restore();
