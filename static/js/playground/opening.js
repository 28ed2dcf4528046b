// Play the opening: the letters of a word slide together merge by merge, in the order of the server's own trace, then the
// ids of the tokens appear. It takes five seconds at most; Skip, a key or a click into the text box shows its end.

const scene = document.querySelector(".opening");
const root = document.documentElement;
const GAP = 0.38; // em between letters that are not merged yet
const [BEFORE, MERGE, PAUSE, PATIENCE, ALL] = [400, 380, 350, 3000, 4500]; // milliseconds
const letters = scene ? [...scene.querySelectorAll("i")] : [];
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
let over = false;

// Every letter is where it will be in the end, moved to the right by the gaps before it: nothing else on the page moves.
function spread(joined) {
  let gaps = 0;
  for (const [at, letter] of letters.entries()) {
    if (letter.dataset.joins && !joined.has(at)) gaps += 1;
    letter.classList.toggle("joined", joined.has(at));
    letter.style.transform = `translateX(${gaps * GAP}em)`;
  }
}

function end() {
  if (over || !root.matches(".staged")) return;
  over = true;
  for (const letter of letters) {
    letter.className = letter.dataset.end;
    letter.style.transform = "";
  }
  root.classList.remove("staged");
  scene.querySelector("[data-skip]").hidden = true;
  try {
    localStorage.setItem("tokenarium.opening", "seen");
  } catch { /* it is shown again next time */ }
}

// The first key takes it away: what stands there now is the answer.
function fold() {
  end();
  root.classList.add("seen");
}

async function merges() {
  const { tokenizer, text } = scene.dataset;
  const body = JSON.stringify({ branch: "encode", tokenizer, text });
  const answer = await fetch("/api/trace", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return (await answer.json()).pieces.flatMap((piece) => piece.merges);
}

async function play() {
  for (const [at, letter] of letters.entries()) {
    letter.dataset.end = letter.className;
    if (letter.matches(".joined")) letter.dataset.joins = "1", letter.className = `t${(at + 2) % 9}`;
  }
  const joined = new Set();
  spread(joined);
  root.classList.add("playing");
  const begun = performance.now();
  await wait(BEFORE);
  if (over) return undefined; // who types at once waits for no other answer
  const steps = await Promise.race([merges(), wait(PATIENCE)]);
  if (!steps) return end();
  // A server that took long has left less time for each.
  const time = Math.min(MERGE, (ALL - PAUSE - (performance.now() - begun)) / steps.length);
  for (const [, start, , stop] of steps) {
    if (over) return undefined;
    for (let at = start + 1; at < stop; at += 1) joined.add(at), letters[at].className = letters[start].className.replace(" joined", "");
    spread(joined);
    await wait(time);
  }
  await wait(PAUSE);
  return end();
}

const text = document.getElementById("text");
if (scene && text.value !== text.defaultValue) fold();
else if (scene) text.addEventListener("input", fold, { once: true });
if (scene && root.matches(".staged")) {
  play().catch(end);
  scene.addEventListener("click", end);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && end());
  text.addEventListener("focus", end, { once: true });
} else scene?.querySelector("[data-skip]").remove();
