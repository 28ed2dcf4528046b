// An image of the user's, chosen or dropped, is measured and drawn here; it is never sent. Every picture is drawn as
// large as the model sees it, so that what is lost by resizing can be seen.

import { onDrop } from "../drop.js";

const LARGEST = 2048; // pixels of the longer side of what is drawn
const form = document.getElementById("lab");
const field = document.getElementById("own");
const sizes = ["width", "height", "other_width", "other_height"];
let own;

function draw() {
  if (!own) return;
  for (const image of document.querySelectorAll("#result image[data-cut]")) {
    const [width, height] = [image.width.baseVal.value, image.height.baseVal.value];
    const scale = Math.min(1, LARGEST / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d").drawImage(own, 0, 0, canvas.width, canvas.height);
    image.setAttribute("href", canvas.toDataURL("image/jpeg", 0.9));
  }
}

async function take(file) {
  const said = document.getElementById("said");
  try {
    own = await createImageBitmap(file);
  } catch {
    said.textContent = `${file.name} is not an image that this browser can read.`;
    return;
  }
  said.textContent = `${file.name}: ${own.width} × ${own.height} pixels. It was not sent.`;
  const values = [own.width, own.height, Math.max(1, own.width >> 1), Math.max(1, own.height >> 1)];
  form.elements.picture.value = "own";
  document.querySelector(".worked [aria-current]")?.removeAttribute("aria-current");
  for (const [at, name] of sizes.entries()) {
    form.elements[name].value = values[at];
    form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  }
}

field.addEventListener("change", () => field.files[0] && take(field.files[0]));
onDrop((files) => take(files[0]));
document.addEventListener("htmx:after:swap", draw);
