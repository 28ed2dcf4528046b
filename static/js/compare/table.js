// The table: a click on a row makes it the baseline, and the measures below stay open.

let open = false;

document.addEventListener("click", ({ target }) => {
  if (target.closest("a, button") || !getSelection().isCollapsed) return;
  target.closest(".tally tbody tr")?.querySelector("th button")?.click();
});

const measures = () => document.querySelector(".measures");
document.addEventListener("toggle", ({ target }) => target === measures() && (open = target.open), { capture: true });
document.addEventListener("htmx:after:swap", () => open && measures() && (measures().open = true));
