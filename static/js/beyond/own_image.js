// An image of the user's, chosen or dropped, is measured and drawn here; it is never sent. Every picture is drawn as
// large as the model sees it, so that what is lost by resizing can be seen. The tab keeps it until another is taken.

import { onDrop } from "../drop.js";

const KEY = "tokenarium.picture";
const LARGEST = 2048; // pixels of the longer side of what is drawn, and kept
const form = document.getElementById("lab");
const field = document.getElementById("own");
const said = document.getElementById("said");
const sizes = ["width", "height", "other_width", "other_height"];
const isOwn = () => form.elements.picture.value === "own";
let own; // what is drawn, and the size of the image

// The image as data, not larger than a size.
function paint(image, width, height) {
  const scale = Math.min(1, LARGEST / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", 0.9);
}

function draw() {
  const absent = document.getElementById("own-absent");
  if (absent) absent.hidden = Boolean(own);
  if (!own || !isOwn()) return;
  for (const image of document.querySelectorAll("#result image[data-cut]")) {
    image.setAttribute("href", paint(own, image.width.baseVal.value, image.height.baseVal.value));
  }
}

function keep(name) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name, width: own.width, height: own.height, data: paint(own, own.width, own.height) }));
  } catch {
    sessionStorage.removeItem(KEY); // there is no room for it
  }
}

const say = ({ name, width, height }) => (said.textContent = `${name}: ${width} × ${height} pixels. It was not sent.`);

async function take(file) {
  try {
    own = await createImageBitmap(file);
  } catch {
    said.textContent = `${file.name} is not an image that this browser can read.`;
    return;
  }
  say({ name: file.name, width: own.width, height: own.height });
  keep(file.name);
  const values = [own.width, own.height, Math.max(1, own.width >> 1), Math.max(1, own.height >> 1)];
  form.elements.picture.value = "own";
  document.querySelector(".menu [aria-current]")?.removeAttribute("aria-current");
  for (const [at, name] of sizes.entries()) {
    form.elements[name].value = values[at];
    form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  }
}

async function restore() {
  const kept = isOwn() && JSON.parse(sessionStorage.getItem(KEY));
  if (!kept) return;
  const image = Object.assign(new Image(), { src: kept.data });
  await image.decode();
  own = image;
  say(kept);
  draw();
}

field.addEventListener("change", () => field.files[0] && take(field.files[0]));
onDrop((files) => take(files[0]));
document.addEventListener("htmx:after:swap", draw);
restore();
