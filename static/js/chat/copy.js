// Copies the written prompt, the ids, the whole answer, or the call that gives it, in Python or for a shell.

import { copyText, say } from "../clipboard.js";
import { curl, python } from "../snippets.js";

const PATH = "/api/chat";

async function answer(body) {
  const response = await fetch(PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return response.text();
  throw new Error((await response.json()).detail);
}

const field = async (body, name) => JSON.parse(await answer({ ...body, include: [name] }))[name];
const makers = {
  prompt: (body) => field(body, "prompt"),
  ids: async (body) => `[${(await field(body, "ids")).join(", ")}]`,
  json: answer,
  python: (body) => python(location.origin, body, PATH),
  curl: (body) => curl(location.origin, body, PATH),
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const sent = document.querySelector(".chat-sheet")?.dataset.request;
  if (!sent) return say("Not copied: there are no tokens.");
  try {
    const text = await makers[button.dataset.copy](JSON.parse(sent));
    await copyText(text, `${button.textContent} copied, ${text.length.toLocaleString("en")} characters.`);
  } catch (error) {
    say(`Not copied: ${error.message}`);
  }
});
