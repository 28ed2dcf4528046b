// What to do for a model of the picker whose tokenizer is not here: a dialog to download it, or a note that there is none.

async function count(text) {
  const body = JSON.stringify({ tokenizer: "claude", text });
  const answer = await fetch("/api/count", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (!answer.ok) return null;
  const { low, high } = (await answer.json()).range;
  return `This text: ${low.toLocaleString("en")}–${high.toLocaleString("en")} tokens.`;
}

function tell(root, choose) {
  const note = root.querySelector("[data-note]");
  note.replaceChildren(root.querySelector("[data-unpublished-note]").content.cloneNode(true));
  const range = note.querySelector("[data-range]");
  const text = document.querySelector("textarea#text")?.value;
  if (text) count(text).then((counted) => counted && range.prepend(`${counted} `), () => null);
  note.querySelector("[data-dismiss]").addEventListener("click", () => note.replaceChildren());
  note.querySelector("[data-instead]")?.addEventListener("click", ({ target }) => {
    choose([...root.querySelectorAll("option")].find(({ value }) => value === target.dataset.instead));
  });
}

// Return whether the option is such a model.
export function absent(root, option, choose) {
  root.querySelector("[data-note]")?.replaceChildren();
  if (option.dataset.add) {
    import("./request.js").then(({ request }) => request(option.dataset.add, () => choose(option)));
  } else if ("unpublished" in option.dataset) tell(root, choose);
  else return false;
  return true;
}
