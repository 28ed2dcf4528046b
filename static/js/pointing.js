// The line about the token under the pointer or in focus: its text, id and bytes, and how often its text has it. Windows of
// tokens carry the ids of what they show, so that pointing asks the server nothing.

import { hex, visible } from "./visible.js";

export const tokenAt = (target) => target.closest?.(".window [data-i]");
const same = (token) => token.closest(".window").querySelectorAll(`[data-i="${token.dataset.i}"]`);

// Elements that share a token: its text, id, bytes and row.
export function mark(name, tokens) {
  for (const one of document.querySelectorAll(`.window .${name}`)) one.classList.remove(name);
  for (const one of tokens) one.classList.add(name);
}

function describe(token) {
  const { i, piece, label, hex: bytes } = token.dataset;
  const { start, ids, times } = token.closest(".window").dataset;
  const [id, often] = [ids, times].map((column) => column.split(" ")[i - start]);
  const text = piece ?? label ?? visible(token.textContent);
  return { id, often, text, bytes: bytes || hex(new TextEncoder().encode(token.textContent)), tone: [...token.classList].find((name) => /^t\d$/.test(name)) };
}

const element = (tag, className, textContent) => Object.assign(document.createElement(tag), { className, textContent });

function idButton(id) {
  const button = Object.assign(element("button", "pointed-id", `id ${id}`), { type: "button", title: "Copy the id" });
  button.dataset.copyText = id;
  return button;
}

export function showPointed(line, token) {
  const { id, often, text, bytes, tone } = describe(token);
  const times = Number(often) > 1 ? `${Number(often).toLocaleString("en")} times` : "once";
  line.replaceChildren(
    element("b", `piece ${tone ?? token.querySelector("[class*=' t']")?.className.match(/t\d/)}`, text),
    idButton(id),
    element("span", "pointed-bytes", bytes),
    element("span", "pointed-times", times),
  );
  mark("on", same(token));
}
