// A folder that is chosen or dropped is packed into one file, which the form sends.

import { onDrop } from "../drop.js";
import { makeTar } from "./tar.js";

const form = document.getElementById("lab");
const said = document.getElementById("said");
const LEFT_OUT = new Set([".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"]);
const input = document.getElementById("folder");
const [MOST_FILES, MOST_BYTES] = [Number(input.dataset.files), Number(input.dataset.bytes)];

class TooMuch extends Error {}

// The files of entries that were dropped, as [path, File].
async function walk(entries) {
  const files = [];
  const pending = [...entries];
  while (pending.length) {
    const entry = pending.pop();
    if (entry.isFile) {
      const file = await new Promise((resolve) => entry.file(resolve, () => resolve(null)));
      if (file) files.push([entry.fullPath.replace(/^\//, ""), file]);
      if (files.length > MOST_FILES) throw new TooMuch();
    } else if (!LEFT_OUT.has(entry.name)) pending.push(...(await list(entry)));
  }
  return files;
}

async function list(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (!some.length) return found;
    found.push(...some);
  }
}

const isSent = (path) => !path.split("/").slice(0, -1).some((folder) => LEFT_OUT.has(folder));

function send(files) {
  const kept = files.filter(([path]) => isSent(path));
  const bytes = kept.reduce((total, [, file]) => total + file.size, 0);
  if (kept.length > MOST_FILES || bytes > MOST_BYTES) throw new TooMuch();
  if (!kept.length) return void (said.textContent = "There are no files in it.");
  // A zip or a tar alone is sent as it is.
  const single = kept.length === 1 && !kept[0][0].includes("/");
  const folder = kept[0][0].split("/")[0];
  const packed = single ? kept[0][1] : new File([makeTar(kept)], `${folder}.tar`);
  const data = new DataTransfer();
  data.items.add(packed);
  form.elements.file.files = data.files;
  said.textContent = `${kept.length.toLocaleString("en")} ${kept.length === 1 ? "file is" : "files are"} being counted …`;
  form.requestSubmit();
}

document.addEventListener("htmx:after:swap", () => (said.textContent = ""));

async function take(files) {
  try {
    send(await files);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const limit = `${MOST_FILES.toLocaleString("en")} files and ${MOST_BYTES.toLocaleString("en")} bytes`;
    said.textContent = `This folder has more than ${limit}. The command tokenarium du counts it.`;
  }
}

input.addEventListener("change", () => {
  if (input.files.length) take([...input.files].map((file) => [file.webkitRelativePath || file.name, file]));
});
onDrop((files, entries) => {
  const folders = entries.some((entry) => entry.isDirectory);
  take(folders ? walk(entries) : [...files].map((file) => [file.name, file]));
});
