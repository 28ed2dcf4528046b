// A component is dragged by its grip to another place of its stage; its buttons do the same, and keep the focus.

const result = document.getElementById("result");
const press = document.getElementById("move-card");
const cardOf = ({ target }) => target.closest?.(".card[data-place]");
let dragged = null;
let focused = null;

const below = (card, { clientY }) => clientY > card.getBoundingClientRect().top + card.offsetHeight / 2;

function mark(event) {
  for (const one of result.querySelectorAll(".card.before, .card.after")) one.classList.remove("before", "after");
  const card = event && cardOf(event);
  if (card && card !== dragged) card.classList.add(below(card, event) ? "after" : "before");
}

document.addEventListener("dragstart", (event) => {
  if (!event.target.matches?.(".card-grip")) return;
  dragged = cardOf(event);
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.getAttribute("aria-label"));
  event.dataTransfer.setDragImage(dragged, 0, 0);
});

const isTarget = (event) => dragged && cardOf(event)?.dataset.stage === dragged.dataset.stage;

document.addEventListener("dragover", (event) => {
  if (isTarget(event)) event.preventDefault();
  if (dragged) mark(isTarget(event) ? event : null);
});

document.addEventListener("drop", (event) => {
  if (!isTarget(event)) return;
  event.preventDefault();
  const card = cardOf(event);
  const from = Number(dragged.dataset.place);
  const to = Number(card.dataset.place) + (below(card, event) ? 1 : 0);
  const place = to > from ? to - 1 : to;
  if (place === from) return;
  press.value = `${dragged.dataset.stage} move ${from} ${place}`;
  press.form.requestSubmit(press);
});

document.addEventListener("dragend", () => {
  mark();
  dragged = null;
});

// The button that moved a component goes with it.
document.addEventListener("click", ({ target }) => {
  const [, stage, way, at] = target.closest?.("button[name=do]")?.value.match(/^(\w+) (up|down) (\d+)$/) ?? [];
  focused = stage ? { stage, way, place: Number(at) + (way === "up" ? -1 : 1) } : null;
});

document.addEventListener("htmx:after:swap", () => {
  if (!focused) return;
  const { stage, way, place } = focused;
  const card = result.querySelector(`.card[data-stage="${stage}"][data-place="${place}"]`);
  const [own, other] = [way, way === "up" ? "down" : "up"].map((one) => card?.querySelector(`[value="${stage} ${one} ${place}"]`));
  (own?.disabled ? other : own)?.focus();
  focused = null;
});
