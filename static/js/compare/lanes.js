// Point at the text or at a lane: the tokens there light up in every lane, and their ids stand at the foot. Arrow keys
// walk through the text, Previous and Next through the places that differ or are marked, across the parts of a long text.

const result = document.getElementById("result");
const said = document.getElementById("lit");
const segments = () => [...result.querySelectorAll(".seg")];
const places = () => [...result.querySelectorAll("[data-place]")];
const lanesOf = (segment) => [...segment.querySelectorAll(".lane")];
let pointed;
let beyond = 0; // which end of the next part to go to

function clear() {
  for (const one of result.querySelectorAll(".lit")) one.classList.remove("lit");
  result.querySelector(".seg.here")?.classList.remove("here");
}

// All that a token covers: it may reach over the neighbours of a segment.
function piecesOf(all, at, lane, number) {
  const own = (segment) => [...(segment ? lanesOf(segment)[lane].children : [])].filter(({ dataset }) => dataset.n === number);
  const found = [];
  for (const step of [-1, 1]) for (let i = at + step, more; (more = own(all[i])).length; i += step) found.push(...more);
  return [...own(all[at]), ...found];
}

function name(lane) {
  return result.querySelectorAll(".lane-line .lane-names")[0].children[lane].textContent;
}

function describe(lane, at, tokens) {
  const item = document.createElement("span");
  item.classList.toggle("at", lane === at);
  item.append(Object.assign(document.createElement("b"), { textContent: name(lane) }));
  for (const token of tokens) {
    const [, id, piece] = /^(\d+) ([^]*)$/.exec(token);
    item.append(" ", Object.assign(document.createElement("bdi"), { textContent: piece }), ` ${id}`);
  }
  if (!tokens.length) item.append(" –");
  return item;
}

function light(segment, lane) {
  clear();
  if (!segment) return;
  segment.classList.add("here");
  const all = segments();
  const at = all.indexOf(segment);
  const found = lanesOf(segment).map((one, number) => {
    const tokens = [...one.querySelectorAll("i")].map(({ dataset }) => piecesOf(all, at, number, dataset.n));
    for (const piece of tokens.flat()) piece.classList.add("lit");
    return tokens.map((pieces) => pieces.map(({ dataset }) => dataset.token).find(Boolean));
  });
  document.getElementById("pointed").replaceChildren(...found.map((tokens, number) => describe(number, lane, tokens)));
  return found;
}

// What comes under a resting pointer when the page scrolls is not pointed at.
for (const event of ["pointermove", "click"]) {
  result.addEventListener(event, ({ target }) => {
    const segment = target.closest(".seg");
    const lane = target.closest(".lane");
    if (!segment || (pointed === (lane ?? segment) && segment.matches(".here"))) return;
    pointed = lane ?? segment;
    light(segment, lane ? lanesOf(segment).indexOf(lane) : -1);
  });
}

function goTo(segment) {
  const found = light(segment);
  segment.scrollIntoView({ block: "nearest" });
  const text = segment.querySelector("bdi").textContent;
  said.textContent = `${text}: ${found.map((tokens, lane) => `${name(lane)} ${tokens.length}`).join(", ")}`;
}

result.addEventListener("keydown", (event) => {
  if (!event.target.matches(".lanes") || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = segments();
  const at = all.findIndex((one) => one.classList.contains("here"));
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || !all.length) return;
  event.preventDefault();
  goTo(all[Math.min(Math.max(to, 0), all.length - 1)]);
});

// Within the part that is shown; the button itself asks for the next one.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-turn]");
  if (!button) return;
  const by = Number(button.dataset.turn);
  const all = segments();
  const here = all.findIndex((one) => one.classList.contains("here"));
  const found = places().map((one) => all.indexOf(one));
  const to = by > 0 ? found.find((at) => at > here) : found.findLast((at) => at < (here < 0 ? all.length : here));
  if (to === undefined && !("last" in button.dataset)) return void (beyond = by);
  event.preventDefault();
  if (to !== undefined) goTo(all[to]);
}, { capture: true });

document.addEventListener("htmx:after:swap", () => {
  const to = beyond && places().at(beyond > 0 ? 0 : -1);
  beyond = 0;
  if (to) goTo(to);
});
