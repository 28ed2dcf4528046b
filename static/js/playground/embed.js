// Copy an <iframe> that shows the same tokens on another page.

import { copyText, say } from "../clipboard.js";

const form = document.getElementById("lab");
const MAX_LENGTH = 8192;

function address() {
  const data = new FormData(form);
  data.delete("file");
  return new URL(`/embed?${new URLSearchParams(data)}`, location.href);
}

document.addEventListener("click", ({ target }) => {
  if (!target.closest("#embed")) return undefined;
  if (document.getElementById("file").files.length) return say("Only typed text can be embedded, not files.");
  const frame = document.createElement("iframe");
  const { href, search } = address();
  if (search.length > MAX_LENGTH) return say(`The text is too long for a frame: ${search.length.toLocaleString("en")} characters, at most ${MAX_LENGTH.toLocaleString("en")}.`);
  for (const [name, value] of Object.entries({ src: href, title: "Tokens", width: "100%", height: "320", loading: "lazy" })) frame.setAttribute(name, value);
  return copyText(frame.outerHTML, "Frame copied. Its address carries the text itself; nothing is stored. Other sites can show only the tokenizers bundled with Tokenarium, not those added here.");
});
