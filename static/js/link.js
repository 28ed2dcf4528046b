// A link that carries tokenizer, options, views and text behind the #, compressed. That part of an address is never sent.

import { removeFile } from "./files.js";
import { showChosen } from "./picker.js";
import { tokenize } from "./typing.js";
import { copyText, say } from "./copy.js";

const form = document.getElementById("lab");
const MOST = 8192;

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function pack(state) {
  const small = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  const binary = Array.from(small, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  return JSON.parse(new TextDecoder().decode(bytes));
}

async function share() {
  if (document.getElementById("file").files.length) return say("A link carries what is typed, not a file.");
  const data = new FormData(form);
  const state = {
    t: data.get("tokenizer"), e: data.get("engine"), s: data.get("special"), m: Number(data.has("template")),
    x: document.getElementById("text").value, v: data.getAll("view"), w: Number(data.has("spaces")),
  };
  const packed = await pack(state);
  if (packed.length > MOST) return say(`The text is too long for a link: ${packed.length.toLocaleString("en")} characters, at most ${MOST.toLocaleString("en")}.`);
  history.replaceState(null, "", `#${packed}`);
  return copyText(location.href, "Link copied. It carries the text itself; nothing is stored.");
}

function choose(name, values) {
  for (const box of form.elements) {
    if (box.name === name && ["radio", "checkbox"].includes(box.type)) box.checked = values.includes(box.value);
  }
}

async function restore() {
  const packed = location.hash.slice(1);
  if (packed.length < 8 || !/^[\w-]+$/.test(packed)) return;
  try {
    const state = await unpack(packed);
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
