// The ids of the text that a tab has taken along: they become the address of this page.

import { takeCarried } from "../session/carried.js";

const MOST = 1000; // ids; more are too long for an address

async function encode({ text, tokenizer, special }) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/tokenize", { method: "POST", headers, body: JSON.stringify({ text, tokenizer, special }) });
  if (!answer.ok) return;
  const { ids, tokenizer: id } = await answer.json();
  location.replace(`?${new URLSearchParams({ text: ids.slice(0, MOST).join(" "), tokenizer: id })}`);
}

const state = location.search || location.hash.length > 1 ? undefined : takeCarried();
if (state?.text) encode(state);
