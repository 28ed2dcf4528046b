// Check a learner's program: each row of the table has a call and what it should return. Python is loaded with the first
// check, in a worker that is ended if a check takes too long. The program is kept in this browser.

import { keep, read } from "./stored.js";

const SECONDS = 5; // of a check
const program = document.getElementById("program");
const said = document.getElementById("said");
const heading = document.getElementById("checks");
const start = document.querySelector("[data-check]");
const { exercise, done } = start.dataset;
const KEY = exercise === "bpe" ? "tokenarium-program" : `tokenarium-program-${exercise}`; // the first was once alone
const stop = document.querySelector("[data-stop]");
const printed = document.querySelector("[data-printed]");
const rows = [...document.querySelectorAll("[data-slide=checks] tr:has(td code)")];
const starter = program.defaultValue;
const PLAIN = {
  SyntaxError: "Python cannot read this",
  IndentationError: "The indentation does not fit",
  NameError: "Nothing has this name",
  UnboundLocalError: "A variable is read before it has a value",
  TypeError: "A value has a type that does not fit",
  ValueError: "A value does not fit",
  IndexError: "The index is outside the list",
  KeyError: "The dict does not have this key",
  AttributeError: "The value has no such method",
  RecursionError: "A function calls itself without an end",
  ZeroDivisionError: "A number is divided by zero",
  ModuleNotFoundError: "Only Python’s own modules are here",
  MemoryError: "The program needs more memory than there is",
};
let worker;
let timer;

function say(text, failed = false) {
  said.classList.toggle("failed", failed);
  said.textContent = text;
}

function rest() {
  clearTimeout(timer);
  start.disabled = false;
  stop.hidden = true;
}

function end(text) {
  worker?.terminate();
  worker = undefined;
  rest();
  say(text, true);
}

function limit() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const row = rows.find((one) => !one.cells[2].textContent);
    if (row) row.cells[2].textContent = `It takes more than ${SECONDS} seconds.`;
    end(`Stopped after ${SECONDS} seconds: does a loop never end?`);
  }, SECONDS * 1000);
}

const spell = ({ type, fault, line }) => `${line ? `Line ${line}: ` : ""}${PLAIN[type] ? `${PLAIN[type]}. ` : ""}${fault}`;

function show({ number, found, ...wrong }) {
  const [, wanted, cell] = rows[number].cells;
  const right = found === wanted.textContent;
  rows[number].toggleAttribute("data-right", right);
  if (wrong.fault) cell.textContent = spell(wrong);
  else if (right) cell.textContent = "✓ the same";
  else cell.replaceChildren(Object.assign(document.createElement("code"), { textContent: found }));
}

// A worker that was ended may still have something to say.
function hear({ target, data }) {
  if (target !== worker) return;
  if (data.lost) end("Python did not load: the connection was lost. Check it again to try once more.");
  else if (data.ready) say("Checking…"), limit();
  else if (data.printed) {
    printed.hidden = false;
    printed.querySelector("pre").append(data.printed);
  } else if (data.broken) end("Python itself stopped. Check it again to start a new one.");
  else if (data.done) {
    rest();
    const right = rows.filter((row) => row.hasAttribute("data-right")).length;
    heading.textContent = `${right} of ${rows.length} checks right`;
    if (data.fault) say(spell(data), true);
    else say(right === rows.length ? done : "");
  }
  else show(data), limit();
}

start.addEventListener("click", () => {
  if (!worker) {
    worker = new Worker(start.dataset.check, { type: "module" });
    worker.addEventListener("message", hear);
    worker.addEventListener("error", ({ target, message }) => hear({ target, data: { lost: !message, broken: true } }));
    say("Loading Python…");
  }
  heading.textContent = `${rows.length} checks`;
  for (const row of rows) row.removeAttribute("data-right"), row.cells[2].replaceChildren();
  printed.hidden = true;
  printed.querySelector("pre").replaceChildren();
  start.disabled = true;
  stop.hidden = false;
  const around = document.getElementById("around").textContent;
  const calls = rows.map((row) => row.querySelector("code").textContent);
  worker.postMessage({ program: program.value, around, calls });
});
stop.addEventListener("click", () => end("Stopped."));

program.addEventListener("input", () => keep(KEY, program.value));
document.querySelector("[data-starter]").addEventListener("click", () => {
  program.value = starter;
  keep(KEY, null);
});
program.value = read(KEY, starter);
