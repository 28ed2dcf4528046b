// A link that carries the conversation and every option behind the #, compressed. That part of an address is never sent.

import { copyText, say } from "../clipboard.js";
import { pack, packed, unpack } from "../pack.js";

const form = document.getElementById("lab");
const MOST = 8192;

async function share() {
  const small = await pack([...new FormData(form)].filter(([name, value]) => name === "content" || value !== ""));
  if (small.length > MOST) return say(`The conversation is too long for a link: ${small.length.toLocaleString("en")} characters, at most ${MOST.toLocaleString("en")}.`);
  history.replaceState(null, "", `/chat#${small}`);
  return copyText(location.href, "Link copied. It carries the conversation itself; nothing is stored.");
}

// The page has no lines for the messages of a link yet: the server writes them, as for any form.
async function restore() {
  if (!packed()) return;
  try {
    const fields = await unpack(packed());
    const sent = Object.assign(document.createElement("form"), { method: "post", action: "/chat", hidden: true });
    for (const [name, value] of fields) {
      sent.append(Object.assign(document.createElement("textarea"), { name: String(name), value: String(value) }));
    }
    document.body.append(sent);
    sent.submit();
  } catch {
    say("This link is damaged or cut short.");
  }
}

document.getElementById("link").addEventListener("click", share);
addEventListener("hashchange", restore);
restore();
