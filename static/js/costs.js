// The page opens before anything is counted, since the server may have to load many vocabularies. Each is asked for by a
// request of its own, so that none waits for all, and the counts appear one by one; then the table is filled in.

import { part, result } from "./part.js";
import { tokenize } from "./typing.js";

const rows = () => [...result.querySelectorAll("[data-uncounted] tbody tr")];

async function warm() {
  const vocabularies = new Set(rows().map(({ dataset }) => dataset.vocabulary).filter(Boolean));
  for (const vocabulary of vocabularies) {
    const alike = rows().filter(({ dataset }) => dataset.vocabulary === vocabulary);
    if (!alike.length) return; // the table is filled in: something was typed
    const strip = await part("/models", { models: alike[0].dataset.model }).catch(() => null);
    const count = strip?.querySelector(".model-tokens")?.textContent;
    if (count) for (const { cells } of alike) cells[2].textContent = count;
  }
  if (rows().length) tokenize();
}

warm();
