// The frame that shows what is on the page, for a page of one's own.

import { copyText, say } from "./clipboard.js";

const form = document.getElementById("lab");
const MOST = 8192;

function address() {
  const data = new FormData(form);
  data.delete("file");
  return new URL(`/embed?${new URLSearchParams(data)}`, location.href);
}

document.getElementById("embed").addEventListener("click", () => {
  if (document.getElementById("file").files.length) return say("A frame carries what is typed, not a file.");
  const frame = document.createElement("iframe");
  const { href, search } = address();
  if (search.length > MOST) return say(`The text is too long for a frame: ${search.length.toLocaleString("en")} characters, at most ${MOST.toLocaleString("en")}.`);
  for (const [name, value] of Object.entries({ src: href, title: "Tokens", width: "100%", height: "320", loading: "lazy" })) frame.setAttribute(name, value);
  return copyText(frame.outerHTML, "Frame copied. Its address carries the text itself; nothing is stored.");
});
