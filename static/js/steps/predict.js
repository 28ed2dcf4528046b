// Predict, reveal, explain. Steps asks here which pair comes next, while the stage still shows the step before; the server
// writes the questions of scenes and laboratories (templates/macros/predict.html). While presenting, each is told as an
// event "asked" and later "revealed", and Next shows the answer; on the page, Next asks for one first.

import { presenting } from "../presenter/mode.js";

const PICK = "Which pair comes next? Pick one.";
const URGE = "Pick a pair first, or press Next again to see which comes.";
const find = (id) => document.getElementById(id);
const words = (one) => one?.textContent.trim().replace(/\s+/g, " ") ?? "";
const spelled = (row) => [...row.querySelectorAll("th b")].map((part) => part.textContent).join(" and ");
const told = new Map(); // id of a question -> the last event of it
const picks = new Map(); // id of a question of Steps -> the pair that was picked, "" if none
const rights = new Map(); // the same id -> whether that was right
// What is chosen, marked or put in order, by the kind of a question.
const PARTS = { choose: ".press, .guess", mark: ".marks b", order: ".pick:first-child option:not([value=''])", type: ":not(*)", estimate: ":not(*)" };
let asking = null;

function tell(kind, { id, ...detail }) {
  if (!presenting() || told.get(id) === kind) return;
  if (kind === "revealed" && !told.has(id)) return; // it was answered before anybody was asked
  told.set(id, kind);
  document.dispatchEvent(new CustomEvent(kind, { detail: { id, ...detail } }));
}

// The question that the server has written, as it is now on the page.
function tellWritten() {
  if (asking) tell("asked", asking.told);
  for (const one of document.querySelectorAll("main .predict[data-question]")) {
    const { question: id, answer, kind: form = "choose", unit, right } = one.dataset;
    const parts = [...one.querySelectorAll(PARTS[form])];
    if (answer === undefined) tell("asked", { id, form, prompt: words(one.querySelector("legend, .prompt")), choices: parts.map(words), parts, unit });
    else tell("revealed", { id, answer: Number(answer), right, reason: words(one.querySelector(".reason")) });
  }
}

// The same seed gives the same order, and the order says nothing.
function shuffle(rows, seed) {
  let state = [...seed].reduce((hash, char) => (Math.imul(hash, 31) + char.codePointAt(0)) | 0, 7);
  const draw = () => ((state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 8) / 2 ** 24;
  return rows.map((row) => [draw(), row]).sort((a, b) => a[0] - b[0]).map(([, row]) => row);
}

const idOf = (stage, step) => `${stage.closest(".run")?.dataset.key ?? "run"}-${step}`;

// `go` shows the frame in place of the step before.
export function ask(stage, frame, step, go) {
  const id = idOf(stage, step);
  const table = frame.querySelector(".pairs").cloneNode(true);
  table.tHead.remove();
  const rows = shuffle([...table.querySelectorAll("tbody tr")], id);
  for (const [at, row] of rows.entries()) {
    row.dataset.choice = at;
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...row.cells[0].childNodes);
    row.cells[0].append(button);
    row.classList.remove("won");
    row.parentNode.append(row);
  }
  for (const { cells } of rows) cells[1].textContent = "?", cells[2]?.remove();
  stage.querySelector(".evidence > div").replaceChildren(table);
  stage.classList.remove("answered");
  stage.classList.add("asking");
  stage.dataset.question = id;
  find("before").hidden = true;
  if (!presenting()) for (const one of [table, find("caption")]) one.scrollIntoView({ block: "nearest" });
  find("caption").textContent = PICK;
  const won = frame.querySelector(".pairs .won");
  asking = { id, go, stage, urged: false, told: { id, prompt: PICK, choices: rows.map(spelled), parts: rows.map((row) => row.cells[0].firstChild) }, answer: rows.findIndex((row) => spelled(row) === spelled(won)) };
  tell("asked", asking.told);
}

export const held = () => asking !== null;

export function reveal(picked) {
  if (!asking) return;
  if (!picked && !asking.urged && !presenting()) return void ((asking.urged = true), (find("caption").textContent = URGE));
  const { id, go, stage, answer } = asking;
  const focused = stage.contains(document.activeElement);
  picks.set(id, picked ? spelled(picked) : "");
  drop();
  go();
  if (focused) find("caption").focus({ preventScroll: true }); // the choice that had it is gone
  const reason = words(find("caption"));
  recall(stage, id);
  tell("revealed", { id, answer, reason });
}

// The verdict of a question that was answered, also when its step is shown again.
export function recall(stage, id) {
  if (!picks.has(id)) return;
  const rows = [...stage.querySelectorAll(".pairs tbody tr")];
  const won = rows.find((row) => row.matches(".won"));
  const picked = rows.find((row) => spelled(row) === picks.get(id));
  stage.classList.add("answered");
  stage.dataset.question = id;
  if (picked) rights.set(id, picked === won);
  const right = [...rights.values()].filter(Boolean).length;
  if (find("score")) find("score").textContent = rights.size ? `${right} of ${rights.size} right` : "";
  if (picked) {
    picked.classList.add("picked");
    const text = picked === won ? "Right. " : `Not ${spelled(picked)}: ${words(picked.cells[1])} against ${words(won.cells[1])}. `;
    find("caption").prepend(Object.assign(document.createElement("strong"), { className: picked === won ? "right" : "wrong", textContent: text }));
  }
  stage.dispatchEvent(new CustomEvent("predicted", { bubbles: true }));
}

export const answered = (stage, step) => picks.has(idOf(stage, step));
export const shown = (stage, step) => recall(stage, idOf(stage, step));

export function drop() {
  asking = null;
  find("stage")?.classList.remove("asking", "answered");
  find("stage")?.removeAttribute("data-question");
}

document.addEventListener("click", ({ target }) => {
  const row = target.closest(".asking .pairs tbody tr");
  if (row) return reveal(row);
  const copy = target.closest(".deck .predict :is(.press, .guess)"); // a slide is a copy of the page
  if (copy) [...document.querySelectorAll("main .predict :is(.press, .guess)")].find((one) => words(one) === words(copy))?.click();
});

// A slide with an open question stays: Next shows the answer.
addEventListener("keydown", (event) => {
  const open = document.querySelector(".deck .predict[data-question]:not([data-answer]) .verdict");
  if (!open || !["ArrowRight", "PageDown", " "].includes(event.key) || event.target.closest?.("button, a, input")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  find("show-answer")?.click();
}, { capture: true });
for (const event of ["htmx:after:swap", "presented"]) document.addEventListener(event, tellWritten);
