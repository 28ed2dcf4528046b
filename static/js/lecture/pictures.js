// The pictures of an item for a handout: those of a scene from its pages, others as the server draws them.

import { pairsOf } from "../form_state.js";
import { packed, unpack } from "../pack.js";

const SHOWN = 4; // steps of an item, of which it may have hundreds
const OWN = ["id", "name", "form", "role", "tabindex", "aria-label", "aria-labelledby"];

export async function load(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`There is no page at ${path} (${answer.status}).`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// The fields of the form that an address fills in: packed behind the #, or those of the page.
async function fields(url, page) {
  if (packed(url)) return pairsOf(await unpack(packed(url)));
  const form = page.getElementById("lab");
  return form ? [...new FormData(form)].filter(([, value]) => typeof value === "string") : [];
}

// A few steps from one to the last, evenly apart, or one alone.
function choose(step, total, alone) {
  if (alone || step >= total - 1) return [Math.min(step, total - 1)];
  const shown = Math.min(SHOWN, total - step);
  return Array.from({ length: shown }, (_, at) => step + Math.round((at * (total - 1 - step)) / (shown - 1)));
}

function figure(content, caption) {
  const one = document.createElement("figure");
  one.append(content);
  if (caption) one.append(Object.assign(document.createElement("figcaption"), { textContent: caption }));
  return one;
}

function image(svg) {
  const [title] = /<title>[^<]*<\/title>/.exec(svg) ?? [""]; // the whole would bring its styles, which the page forbids
  return Object.assign(new Image(), { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt: new DOMParser().parseFromString(title, "text/html").title });
}

function bodyOf(pairs) {
  const body = new FormData();
  for (const [name, value] of pairs) body.append(name, value);
  return body;
}

async function draw(page, pairs, more = {}) {
  const button = page.querySelector('[formaction][name=format][value$="svg"]');
  if (!button) return null;
  const body = bodyOf(pairs);
  for (const [name, value] of Object.entries({ ...more, format: button.value })) body.set(name, value);
  const answer = await fetch(button.getAttribute("formaction"), { method: "POST", body });
  return answer.ok ? figure(image(await answer.text())) : null;
}

function frame(page) {
  const copy = document.importNode(page.querySelector(".learn-view .frame"), true);
  for (const one of [copy, ...copy.querySelectorAll("*")]) for (const name of OWN) one.removeAttribute(name);
  const view = document.createElement("div");
  view.className = "page-learn";
  view.append(copy);
  return figure(view, page.querySelector(".learn-view .caption").textContent.trim().replace(/\s+/g, " "));
}

// How a scene goes on is hidden until its question is answered.
async function scene(url, pairs, alone) {
  const { text = "", at = 0 } = Object.fromEntries(pairs);
  const page = (step) => load(`${url.pathname}?${new URLSearchParams({ text, step, answer: "shown" })}`);
  const first = Number(url.searchParams.get("step") ?? at);
  const { total } = (await page(first)).querySelector(".learn-view").dataset;
  return Promise.all(choose(first, Number(total), alone).map(async (step) => frame(await page(step))));
}

async function run(url, pairs, page, alone) {
  const step = Number(pairs.find(([name]) => name === "step")?.[1] ?? page.querySelector(".result-view").dataset.step);
  const total = url.hash ? await totalOf(pairs) : Number(page.querySelector(".result-view").dataset.total);
  return Promise.all(choose(step, total, alone).map((number) => draw(page, pairs, { step: number })));
}

async function totalOf(pairs) {
  const answer = await fetch("/steps", { method: "POST", body: bodyOf(pairs) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return Number(page.querySelector(".result-view")?.dataset.total ?? 1);
}

// The figures of an item, and none where its page has none.
export async function pictures(address, page, alone) {
  const url = new URL(address, location.origin);
  const pairs = await fields(url, page);
  if (page.querySelector(".learn-view")) return scene(url, pairs, alone);
  const found = await (url.pathname === "/steps" && page.querySelector(".result-view") ? run(url, pairs, page, alone) : Promise.all([draw(page, pairs)]));
  return found.filter(Boolean);
}
