// Save a picture, or copy it to the clipboard. The server paints it; letters for which it has no font are painted here, in
// the fonts of the screen, and sent along. Without this module the same buttons send the form.

import { say } from "./clipboard.js";

const [SIZE, ASCENT, TALL] = [64, 1.2, 1.7]; // as the server places them: app/serialize/pdf.py

function paint(text, family, bold, color) {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const font = `${bold ? 700 : 500} ${SIZE}px "${family}", system-ui, sans-serif`;
  pen.font = font;
  Object.assign(canvas, { width: Math.max(1, Math.ceil(pen.measureText(text).width)), height: SIZE * TALL });
  Object.assign(pen, { font, fillStyle: color });
  pen.fillText(text, 0, SIZE * ASCENT);
  return canvas.toDataURL("image/png").split(",")[1];
}

async function send(address, fields) {
  const body = new FormData(document.getElementById("lab") ?? undefined);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const answer = await fetch(address, { method: "POST", body });
  if (!answer.ok) throw new Error(`The picture could not be drawn (${answer.status}).`);
  return answer;
}

async function request(address, format) {
  const answer = await send(address, { format, ask: 1 });
  if (!answer.headers.get("Content-Type").includes("json")) return answer;
  const { letters, families, color } = await answer.json();
  const images = letters.map(([text, face, bold]) => [text, face, bold, paint(text, families[face], bold, color)]);
  return send(address, { format, letters: JSON.stringify(images) });
}

const size = (blob) => `${Math.ceil(blob.size / 1000).toLocaleString("en")} KB`;

async function save(address, { value, textContent }) {
  const answer = await request(address, value);
  const blob = await answer.blob();
  const href = URL.createObjectURL(blob);
  const [, download] = /filename="(.*)"/.exec(answer.headers.get("Content-Disposition"));
  Object.assign(document.createElement("a"), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href));
  say(`${textContent} saved, ${size(blob)}.`);
}

async function copy(address, button) {
  if (!navigator.clipboard?.write) throw new Error("a page without https may not copy pictures. Save it as PNG.");
  // A browser that asks for the click behind a copy forgets it while the picture is painted, so it gets a promise.
  const picture = request(address, button.value).then((answer) => answer.blob());
  await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  const name = button.closest("[role=group]").getAttribute("aria-label").replace(/^Download/, "Picture of");
  say(`${name} copied as a picture, ${size(await picture)}.`);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-painted]");
  if (!button) return;
  event.preventDefault();
  const copies = "copies" in button.dataset;
  say("The picture is being painted …");
  try {
    await (copies ? copy : save)(button.dataset.painted, button);
  } catch (error) {
    say(copies ? `Not copied: ${error.message}` : error.message);
  }
});
