// Copies ids, JSON, or the call that gives them, in Python or for a shell.

import { copyText, say } from "./clipboard.js";
import { currentText } from "./files.js";
import { curl, python } from "./snippets.js";

const form = document.getElementById("lab");

async function asked(include) {
  const data = new FormData(form);
  const chosen = form.querySelector("input[name=tokenizer]:checked");
  const body = { tokenizer: data.get("tokenizer"), text: await currentText(), special: data.get("special") };
  if (data.get("engine") === "scratch" && chosen.matches("[data-scratch]")) body.engine = "scratch";
  if (data.has("template") && chosen.matches("[data-template]")) body.template = true;
  return { ...body, include };
}

async function answer(body) {
  const response = await fetch("/tokenize", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return response.text();
  throw new Error((await response.json()).detail);
}

const makers = {
  ids: async () => `[${JSON.parse(await answer(await asked(["ids"]))).ids.join(", ")}]`,
  json: async () => answer(await asked(["ids", "pieces", "offsets"])),
  python: async () => python(location.origin, await asked(["ids", "pieces", "offsets"])),
  curl: async () => curl(location.origin, await asked(["ids", "pieces", "offsets"])),
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  try {
    const text = await makers[button.dataset.copy]();
    await copyText(text, `${button.textContent} copied, ${text.length.toLocaleString("en")} characters.`);
  } catch (error) {
    say(`Not copied: ${error.message}`);
  }
});
