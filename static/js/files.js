// A text file, opened or dropped anywhere on the page, replaces the text until it is removed. It is sent byte for byte.

import { counted } from "./counted.js";
import { onDrop } from "./drop.js";
import { tokenize } from "./typing.js";

const byId = (id) => document.getElementById(id);

function show() {
  const [file] = byId("file").files;
  byId("chip").hidden = byId("filenote").hidden = !file;
  byId("text").disabled = Boolean(file);
  if (!file) return;
  byId("chip").querySelector(".filename").textContent = file.name;
  byId("chip").querySelector(".filesize").textContent = counted(file.size, "byte");
}

export function removeFile() {
  byId("file").value = "";
  show();
}

// The text as the server reads it: a file byte for byte, otherwise the text area.
export async function currentText() {
  const [file] = byId("file").files;
  if (!file) return byId("text").value;
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
}

if (byId("file")) {
  onDrop((files) => {
    const one = new DataTransfer();
    one.items.add(files[0]);
    byId("file").files = one.files;
    byId("file").dispatchEvent(new Event("change", { bubbles: true }));
  });
  byId("lab").addEventListener("restored", removeFile);
  show();
}

document.addEventListener("change", ({ target }) => {
  if (target.id === "file") show();
});

document.addEventListener("click", ({ target }) => {
  if (!target.closest("#unfile")) return;
  removeFile();
  byId("text").focus();
  tokenize();
});
