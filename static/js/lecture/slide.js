// A text slide: its title and its text are in the address. An empty line begins a paragraph, "- " an item of a list.

import { packed, unpack } from "../pack.js";

const place = document.getElementById("own-slide");

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

// Lines of a list, or a paragraph.
function block(lines) {
  if (!lines[0].startsWith("- ")) return element("p", lines.join("\n"));
  const list = document.createElement("ul");
  list.append(...lines.map((line) => element("li", line.slice(2))));
  return list;
}

function blocks(text) {
  const groups = [];
  let kind = "";
  for (const line of text.split("\n").map((one) => one.trimEnd())) {
    const before = kind;
    kind = line && (line.startsWith("- ") ? "list" : "paragraph");
    if (kind && kind !== before) groups.push([]);
    if (kind) groups.at(-1).push(line);
  }
  return groups.map(block);
}

async function show() {
  if (packed()) await fill();
  place.removeAttribute("data-arriving");
  document.dispatchEvent(new CustomEvent("arrived"));
}

async function fill() {
  try {
    const { title, text } = Object.fromEntries(await unpack(packed()));
    place.replaceChildren(element("h1", String(title ?? "")), ...blocks(String(text ?? "")));
    if (document.title.startsWith("Slide")) document.title = `${title} · Tokenarium`;
  } catch {
    place.replaceChildren(element("p", "This link is damaged or incomplete."));
  }
}

addEventListener("hashchange", show);
show();
