// The pictures of an item for a handout: the server renders those of all scenes at once, and draws others one by one.

import { pairsOf } from "../form_state.js";
import { packed, unpack } from "../pack.js";

const SHOWN = 4; // steps of an item, of which it may have hundreds

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

async function load(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`There is no page at ${path} (${answer.status}).`);
  return parse(await answer.text());
}

// The fields of the form that an address fills in: packed behind the #, or those of the page.
async function fields(url, page) {
  if (packed(url)) return pairsOf(await unpack(packed(url)));
  const form = page.getElementById("lab");
  return form ? [...new FormData(form)].filter(([, value]) => typeof value === "string") : [];
}

function figure(content) {
  const one = document.createElement("figure");
  one.append(content);
  return one;
}

function image(svg) {
  const [title] = /<title>[^<]*<\/title>/.exec(svg) ?? [""]; // the whole would bring its styles, which the page forbids
  return Object.assign(new Image(), { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt: parse(title).title });
}

function bodyOf(pairs) {
  const body = new FormData();
  for (const [name, value] of pairs) body.append(name, value);
  return body;
}

async function draw(page, pairs, more = {}) {
  const [button, link] = ['[formaction][name=format][value$="svg"]', 'a[download][href*=".svg"]'].map((one) => page.querySelector(one));
  if (!button) return link && figure(image(await (await fetch(link.getAttribute("href"))).text()));
  const body = bodyOf(pairs);
  for (const [name, value] of Object.entries({ ...more, format: button.value })) body.set(name, value);
  const answer = await fetch(button.getAttribute("formaction"), { method: "POST", body });
  return answer.ok ? figure(image(await answer.text())) : null;
}

// Its fields are in the query of its address, where the server reads them.
async function plain({ address, steps }) {
  const url = new URL(address || "/", location.origin);
  const query = packed(url) ? new URLSearchParams(pairsOf(await unpack(packed(url)))) : url.searchParams;
  return { address: `${url.pathname}?${query}`, alone: steps === "one" };
}

const post = async (path, items) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(await Promise.all(items.map(plain))) });

// Have the server load what the scenes need, which takes seconds after its start, before their handout is made.
export async function warm(items) {
  const scenes = items.filter(({ address }) => /^\/learn\//.test(address));
  if (scenes.length) await post("/lecture/warm", scenes).catch(() => {}); // the handout itself says what is wrong
}

// Of each item that is a scene { texts, figures, sources }, of others nothing. How a scene goes on is shown with its answer.
export async function scenes(items) {
  const answer = await post("/lecture/handout", items);
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return [...parse(await answer.text()).querySelectorAll("body > section")].map((part) => part.firstElementChild && {
    texts: [...part.querySelectorAll(".handout-claim, .handout-question")],
    figures: [...part.querySelectorAll("img")].map(figure),
    sources: part.querySelector(".handout-sources"),
  });
}

async function run(url, pairs, page, alone) {
  const view = url.hash ? parse(await (await fetch("/steps", { method: "POST", body: bodyOf(pairs) })).text()) : page;
  const { total = 1, step: opened = 0 } = view.querySelector(".result-view")?.dataset ?? {};
  const step = Math.min(Number(pairs.find(([name]) => name === "step")?.[1] ?? opened), total - 1);
  const shown = alone ? 1 : Math.min(SHOWN, total - step);
  const steps = Array.from({ length: shown }, (_, at) => step + Math.round((at * (total - 1 - step)) / Math.max(1, shown - 1)));
  return Promise.all(steps.map((number) => draw(page, pairs, { step: number })));
}

// The figures of an item that is no scene; where its page has none to be saved, the handout says so.
export async function pictures({ address, steps }) {
  const url = new URL(address, location.origin);
  const page = await load(url.pathname + url.search);
  const pairs = await fields(url, page);
  const found = await (url.pathname === "/steps" && page.querySelector(".result-view") ? run(url, pairs, page, steps === "one") : Promise.all([draw(page, pairs)]));
  const figures = found.filter(Boolean);
  const none = Object.assign(document.createElement("p"), { textContent: "This page has no picture to print. Its address is below." });
  return { texts: figures.length ? [] : [none], figures, sources: null };
}
