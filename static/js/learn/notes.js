// Notes and open questions of a learner: kept in this browser alone, exported as Markdown, or copied as a question that
// says what is claimed, in which state, on which sources, and what was seen.

import { copyText } from "../clipboard.js";
import { keep, read } from "./stored.js";

const KEY = "tokenarium-notes";
const panel = document.querySelector(".learn-notes");
const find = (selector) => document.querySelector(selector);
const text = (selector) => find(selector)?.textContent.trim().replace(/\s+/g, " ") ?? "";
const scene = location.pathname.split("/")[2];

const notes = () => read(KEY, []);

function change(all) {
  if (!keep(KEY, all)) find("#said").textContent = "This browser keeps no notes; copy it before you leave.";
  list();
}

const step = () => find(".learn-view")?.dataset.step ?? "0";
const about = () => panel.querySelector("select").selectedOptions[0].textContent;

function list() {
  const own = notes().filter((note) => note.scene === scene);
  panel.querySelector("ul").replaceChildren(...own.map((note) => {
    const item = document.createElement("li");
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "Delete", className: "range" });
    remove.addEventListener("click", () => change(notes().filter((one) => one.id !== note.id)));
    item.append(`${note.about}, step ${note.step}: ${note.text} `, remove);
    return item;
  }));
}

// Every note of the course, scene by scene.
function markdown() {
  const all = notes();
  const titles = [...new Set(all.map((note) => note.title))];
  return titles.map((title) => [`# ${title}`, "", ...all.filter((note) => note.title === title)
    .map((note) => `- **${note.about}, step ${note.step}**, text \`${note.input.replaceAll("`", "'")}\`: ${note.text}`)].join("\n")).join("\n\n");
}

function question() {
  const sources = [...document.querySelectorAll(".learn-sources li")].map((one) => `- ${one.textContent.trim().replace(/\s+/g, " ")}`);
  return [
    `Scene: ${text("h1")} (${location.pathname})`, `Claim: ${text(".learn-claim")}`,
    `State: text ${JSON.stringify(find("#text").value)}, step ${step()}: ${text(".caption")}`,
    `Line of code: ${text(".line.lit") || "none"}`, "Sources:", ...sources,
    "Verified: the engine computed this state on this machine.",
    `My question (${about()}): ${panel.querySelector("textarea").value}`,
    "It would be resolved by: a text and a step that show it, or a section of a source.",
  ].join("\n");
}

panel.addEventListener("click", ({ target }) => {
  const field = panel.querySelector("textarea");
  if (target.matches("[data-note=save]") && field.value.trim()) {
    const note = { id: Date.now(), scene, title: text("h1"), step: step(), about: about(), input: find("#text").value, text: field.value.trim() };
    change([...notes(), note]);
    field.value = "";
  }
  if (target.matches("[data-note=copy]")) copyText(question(), "Copied as a question, with claim, state and sources.");
  if (target.matches("[data-note=export]")) {
    const address = URL.createObjectURL(new Blob([markdown()], { type: "text/markdown" }));
    Object.assign(document.createElement("a"), { href: address, download: "notes.md" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
});
list();
