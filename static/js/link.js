// Share a link that carries every field of the form behind the #, compressed. Browsers never send that part of an address.
// The button #link says what the link carries (data-carries), whether the address follows each result, and after
// how many milliseconds (data-remember), and whether the server fills in the form of a link (data-post).

import { copyText, say } from "./clipboard.js";
import { fill, hasFile, pairsOf, post, read, removeRestored } from "./form_state.js";
import { MAX_UNPACKED, pack, packed, unpack } from "./pack.js";
import { tokenize } from "./typing.js";

const MAX_LENGTH = 8192;
const count = (number) => number.toLocaleString("en");
const traits = () => document.getElementById("link").dataset;
const copy = () => copyText(location.href, `Link copied. It carries the ${traits().carries}; nothing is stored.`);

// What the page itself writes into the address is no link that was followed: static/js/session.js tells them apart.
function setFragment(state) {
  history.replaceState({ own: true }, "", `${location.pathname}#${state}`);
}

async function share() {
  const state = await pack(read());
  if (state.length > MAX_LENGTH) {
    return say(`The ${traits().carries.split(" ")[0]} is too long for a link: ${count(state.length)} characters, at most ${count(MAX_LENGTH)}.`);
  }
  setFragment(state);
  return copy();
}

// Keep the state in the address; without the text where that is too long. Return whether it fits.
async function remember() {
  removeRestored();
  const state = await pack(read());
  const fits = state.length <= MAX_LENGTH;
  setFragment(fits ? state : await pack(read().filter(([name]) => name !== "text")));
  return fits;
}

async function shareRemembered() {
  if (await remember()) return copy();
  return copyText(location.href, "Link copied. The text is too long for a link: it carries only the options.");
}

async function restore() {
  if (!packed()) return;
  try {
    const pairs = pairsOf(await unpack(packed()));
    if ("post" in traits()) return void post(pairs);
    const unknown = fill(pairs);
    tokenize();
    if (unknown.includes("tokenizer")) say("The tokenizer of this link is not installed on this server.");
  } catch (error) {
    const large = error instanceof RangeError;
    say(large ? `This link holds more than ${count(MAX_UNPACKED)} bytes; it is not opened.` : "This link is damaged or incomplete.");
  }
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#link")) return;
  if (hasFile()) say("A link carries typed text, not a file.");
  else if ("remember" in traits()) shareRemembered();
  else share();
});
let resting;
document.addEventListener("htmx:after:swap", () => {
  if (!("remember" in traits())) return;
  clearTimeout(resting);
  resting = setTimeout(remember, Number(traits().remember));
});
addEventListener("hashchange", restore);
restore();
