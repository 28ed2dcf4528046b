// Compare the engines of all tokenizers on the text: each result goes into its row as soon as it is there.

import { counted } from "../counted.js";
import { cells, clear, show } from "./results.js";

const place = (id) => document.getElementById(id);
const [run, cancel, live, bar, doing, outcome] = ["run", "cancel", "live", "progress", "doing", "outcome"].map(place);
const text = place("text");
let asked;

async function compare(seen) {
  const size = new Blob([text.value]).size;
  const limit = Number(run.dataset.limit);
  if (size > limit) throw new Error(`The text has ${counted(size, "byte")}; all pairs are compared on at most ${limit.toLocaleString("en")}.`);
  const { signal } = (asked = new AbortController());
  const answer = await fetch("/api/conformance", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: text.value, tokenizers: cells().map(({ dataset }) => dataset.pair) }),
    signal,
  });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  let rest = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) show(JSON.parse(line), seen);
    bar.value += lines.length;
    doing.textContent = `${bar.value} of ${bar.max} pairs compared`;
  }
  return bar.value === bar.max;
}

function conclude({ agree, differ, failed }) {
  const parts = [[agree, "agree"], [differ, "differ"]].map(([count, does]) => count && `${counted(count, "pair")} ${does}${count === 1 ? "s" : ""}`);
  if (failed) parts.push(`${counted(failed, "pair")} could not be compared`);
  return differ || failed ? `${parts.filter(Boolean).join("; ")}.` : `All ${agree} pairs agree on every token of this text.`;
}

function begin(on) {
  const focused = [run, cancel].includes(document.activeElement);
  run.disabled = on;
  cancel.hidden = !on;
  if (focused) (on ? cancel : run).focus();
}

run.addEventListener("click", async () => {
  const seen = { agree: 0, differ: 0, failed: 0 };
  live.hidden = false;
  bar.value = 0;
  bar.max = cells().length;
  outcome.textContent = "";
  clear();
  doing.textContent = "Comparing …";
  begin(true);
  try {
    outcome.textContent = (await compare(seen)) ? conclude(seen) : "The comparison ended early. Try again.";
  } catch (error) {
    if (error.name === "AbortError") outcome.textContent = `Cancelled after ${bar.value} of ${bar.max} pairs.`;
    else outcome.textContent = error instanceof TypeError ? "Can’t reach the server. Your text is safe." : error.message;
  }
  begin(false);
});

cancel.addEventListener("click", () => asked?.abort());
// What was found for another text is gone as soon as this one changes.
text.addEventListener("input", () => {
  asked?.abort();
  live.hidden = true;
  clear();
});
