// A text slide: its title and its text are those of the item in whose frame it is shown, or of the number in its address.

import { frame } from "../presenter/framed.js";
import { current } from "./store.js";

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

function show() {
  const item = frame?.item ?? current().items[new URLSearchParams(location.search).get("item") - 1];
  if (item) place.replaceChildren(element("h1", item.title), ...blocks(item.text));
  place.removeAttribute("data-arriving");
  document.dispatchEvent(new CustomEvent("arrived"));
}

show();
