// After an answer, the picture plays up to the step that shows it; any key or press takes over.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const [SLOWEST, FASTEST, WHOLE] = [900, 250, 4000]; // milliseconds a step, and for all of them
let goal = 0;
let timer = 0;

function go() {
  clearTimeout(timer);
  const view = document.querySelector(".learn-view");
  if (!view) return;
  if (view.dataset.play) goal = Number(view.dataset.play);
  const left = goal - Number(view.dataset.step);
  if (left <= 0) return void (goal = 0);
  const next = document.getElementById("key-on");
  if (still.matches) next.value = goal;
  timer = setTimeout(() => next.click(), still.matches ? 0 : Math.min(SLOWEST, Math.max(FASTEST, WHOLE / left)));
}

const stop = ({ isTrusted }) => {
  if (!isTrusted || !goal) return;
  goal = 0;
  document.getElementById("lab").dispatchEvent(new CustomEvent("htmx:abort")); // a step that is on its way
  document.getElementById("result").removeAttribute("data-stale");
  clearTimeout(timer);
};
for (const event of ["keydown", "pointerdown", "input"]) document.addEventListener(event, stop, { capture: true });
document.addEventListener("htmx:after:swap", go);
