// Copy the ids, the JSON answer of the API, or the request that gives it, in Python or for a shell. The copy menu names
// the route (data-path). With data-from-result, the result carries the request (data-request); otherwise the form is read.

import { copyText, say } from "./clipboard.js";
import { counted } from "./counted.js";
import { currentText } from "./files.js";
import { curl, python } from "./snippets.js";

function formRequest(form) {
  const data = new FormData(form);
  const [chosen] = form.elements.tokenizer.selectedOptions;
  const body = { tokenizer: data.get("tokenizer"), special: data.get("special") };
  if (data.get("engine") === "scratch" && chosen.matches("[data-library]")) body.engine = "scratch";
  if (data.has("template") && chosen.matches("[data-template]")) body.template = true;
  return { ...body, include: ["ids", "pieces", "offsets"] };
}

async function request(menu) {
  if ("fromResult" in menu.dataset) {
    const result = document.querySelector("#result [data-request]");
    if (!result) throw new Error("there are no tokens.");
    return JSON.parse(result.dataset.request);
  }
  const { tokenizer, ...options } = formRequest(document.getElementById("lab"));
  return { tokenizer, text: await currentText(), ...options };
}

async function answer(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.ok) return response.text();
  throw new Error((await response.json()).detail);
}

const field = async (path, body, name) => JSON.parse(await answer(path, { ...body, include: [name] }))[name];
const formats = {
  prompt: (path, body) => field(path, body, "prompt"),
  ids: async (path, body) => `[${(await field(path, body, "ids")).join(", ")}]`,
  json: answer,
  python: (path, body) => python(location.origin, body, path),
  curl: (path, body) => curl(location.origin, body, path),
};

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  const menu = button.closest("[data-path]");
  try {
    const text = await formats[button.dataset.copy](menu.dataset.path, await request(menu));
    await copyText(text, `${button.dataset.said ?? button.textContent} copied, ${counted(text.length, "character")}.`);
  } catch (error) {
    say(`Not copied: ${error.message}`);
  }
});
