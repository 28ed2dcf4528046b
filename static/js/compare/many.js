// Many texts, sent one by one, so that the table grows while it runs and can be stopped at any text.

import { counted } from "../counted.js";
import { onDrop } from "../drop.js";
import { enhance } from "../tables.js";
import { Ledger } from "./ledger.js";
import { fields, load, texts } from "./sources.js";

const byId = (id) => document.getElementById(id);
const [progress, message, files, cancel, save] = ["progress", "counted", "files", "cancel", "save"].map(byId);
let sources = [];
let ledger = null;
let running = null;

// A model without a tokenizer here has no count.
const isHere = (id) => id && ![...document.querySelector("select[name=tokenizer]").options].some(({ value, dataset }) => value === id && dataset.todo);

async function ask(text, tokenizers, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/api/compare", { method: "POST", headers, signal, body: JSON.stringify({ text, tokenizers, include: [] }) });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return body.columns;
}

async function count(list, total, signal) {
  for (const [index, [name, text]] of list.entries()) {
    message.textContent = `${index} of ${counted(total, "text")}: ${name}`;
    const columns = await ask(text, ledger.tokenizers, signal);
    ledger.add(name, new TextEncoder().encode(text).length, columns.map((column) => column.tokens ?? null));
    progress.value = index + 1;
  }
}

async function run(gather) {
  running?.abort();
  const { signal } = (running = new AbortController());
  const tokenizers = byId("lab").querySelector("[name=order]").value.split(" ").filter(isHere);
  if (!tokenizers.length) return void (message.textContent = "Choose a tokenizer first.");
  ledger = new Ledger(tokenizers);
  try {
    const list = await gather();
    [progress.max, progress.value] = [Math.max(list.length, 1), 0];
    progress.hidden = cancel.hidden = false;
    await count(list, list.length, signal);
    message.textContent = `${counted(list.length, "text")} counted.`;
  } catch (error) {
    if (signal !== running.signal) return;
    message.textContent = signal.aborted ? `Stopped after ${counted(ledger.rows.length, "text")}.` : `Stopped: ${error.message}`;
  }
  progress.hidden = cancel.hidden = true;
  save.hidden = !ledger.rows.length;
  enhance(byId("ledger"));
}

async function take(chosen) {
  try {
    sources = await load(chosen);
  } catch (error) {
    return void (message.textContent = error.message);
  }
  const names = fields(sources);
  byId("field").replaceChildren(...names.map((name) => new Option(name)));
  byId("fields").hidden = byId("run-files").hidden = !names.length;
  message.textContent = names.length ? "Choose the column that holds the texts." : "";
  return names.length ? undefined : run(async () => texts(sources));
}

byId("run-set").addEventListener("click", (event) => {
  event.preventDefault();
  run(async () => Object.entries(await (await fetch(`/api/compare/sets/${byId("set").value}`)).json()));
});
byId("run-files").addEventListener("click", () => run(async () => texts(sources, byId("field").value)));
cancel.addEventListener("click", () => running?.abort());
files.addEventListener("change", () => take(files.files));
save.addEventListener("click", () => {
  const href = URL.createObjectURL(new Blob([ledger.csv()], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href, download: "texts.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(href));
});
byId("set").addEventListener("change", (event) => event.stopPropagation());

// Several files, or any dropped on this section, are texts to count; one dropped elsewhere is the text of the page.
onDrop(take, (files, element) => files.length > 1 || element.closest("#many"));
