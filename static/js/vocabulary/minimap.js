// The minimap: the part in view is framed, and a press or a drag goes to that place.

import { list } from "./rows.js";

const map = () => document.querySelector(".minimap");

function frame() {
  if (!list() || !map()) return;
  const { scrollTop, scrollHeight, clientHeight } = list();
  const view = map().querySelector(".view");
  view.style.top = `${(100 * scrollTop) / scrollHeight}%`;
  view.style.height = `${Math.min(100, (100 * clientHeight) / scrollHeight)}%`;
}

function go(event) {
  const { top, height } = map().getBoundingClientRect();
  list().scrollTop = ((event.clientY - top) / height) * list().scrollHeight - list().clientHeight / 2;
}

document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest?.(".minimap") || event.button) return;
  event.preventDefault();
  map().setPointerCapture(event.pointerId);
  go(event);
});
document.addEventListener("pointermove", (event) => {
  if (map()?.hasPointerCapture(event.pointerId)) go(event);
});
document.addEventListener("scroll", ({ target }) => target === list() && frame(), { capture: true });
document.addEventListener("htmx:after:swap", frame);
addEventListener("resize", frame);
frame();
