// Go to the next or previous place where tokenizers differ; after the last, to the next page of them.

const places = () => [...document.querySelectorAll(".place")];
let beyond = 0; // which end of the next page to go to

function show(place) {
  place?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function turn(by) {
  const all = places();
  const at = all.findIndex((place) => place.classList.contains("here"));
  const to = all[at + by];
  if (to) return show(to);
  const page = document.querySelector(`[data-page="${by}"]`);
  if (!page) return show(all[Math.max(at, 0)]);
  beyond = by;
  return page.click();
}

document.addEventListener("focusin", (event) => {
  const place = event.target.closest?.(".place");
  if (!place) return;
  for (const other of places()) other.classList.toggle("here", other === place);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-turn]");
  if (button) turn(Number(button.dataset.turn));
});

document.addEventListener("htmx:after:swap", () => {
  if (beyond) show(places().at(beyond > 0 ? 0 : -1));
  beyond = 0;
});
