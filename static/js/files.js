// A text file, opened or dropped anywhere on the page, is the text until it is removed. It is sent as it is.

import { onDrop } from "./drop.js";
import { tokenize } from "./typing.js";

const input = document.getElementById("file");
const text = document.getElementById("text");
const chip = document.getElementById("chip");

function show() {
  const [file] = input.files;
  chip.hidden = document.getElementById("filenote").hidden = !file;
  text.disabled = Boolean(file);
  if (!file) return;
  chip.querySelector(".filename").textContent = file.name;
  chip.querySelector(".filesize").textContent = `${file.size.toLocaleString("en")} bytes`;
}

export function removeFile() {
  input.value = "";
  show();
}

// The text as the server reads it: a file byte for byte, the box as it stands.
export async function currentText() {
  const [file] = input.files;
  if (!file) return text.value;
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
}

onDrop((files) => {
  const one = new DataTransfer();
  one.items.add(files[0]);
  input.files = one.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

input.addEventListener("change", show);

document.getElementById("unfile").addEventListener("click", () => {
  removeFile();
  text.focus();
  tokenize();
});

show();
