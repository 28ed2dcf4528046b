// The result of each pair of engines: in its row, and with the first difference below the progress.

import { counted } from "../counted.js";

const list = document.getElementById("differences");
export const cells = () => [...document.querySelectorAll("[data-pair]")];

function write(cell, kind, content) {
  cell.classList.remove("agree", "differ", "failed");
  if (kind) cell.classList.add(kind);
  cell.textContent = content;
}

function make(name, className, ...content) {
  const element = Object.assign(document.createElement(name), { className });
  element.append(...content);
  return element;
}

function tell(tokenizer, { index, stage, start, reference, scratch }) {
  const engines = [["Library", reference], ["From scratch", scratch]].map(([engine, tokens]) =>
    make("div", "", make("span", "what", engine), " ", ...tokens.flatMap(([id, piece], place) =>
      [make("bdi", start + place === index ? "token first" : "token", piece, make("small", "", id)), " "])));
  list.append(make("li", "", `${tokenizer}: the first token that differs has the index ${index}; the engines diverge in the stage ${stage}.`, ...engines));
}

export function show({ tokenizer, agrees, tokens, difference, reason, problem }, seen) {
  const cell = cells().find(({ dataset }) => dataset.pair === tokenizer);
  const failure = problem?.detail ?? reason;
  seen[agrees ? "agree" : failure ? "failed" : "differ"] += 1;
  if (agrees) write(cell, "agree", `agree, ${counted(tokens, "token")}`);
  else if (failure) write(cell, "failed", failure);
  else write(cell, "differ", `differ from token ${difference.index} on`);
  if (difference) tell(tokenizer, difference);
}

// Leave nothing of what was found for another text.
export function clear() {
  list.replaceChildren();
  for (const cell of cells()) write(cell, "", "");
}
