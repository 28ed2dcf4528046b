// The checks beneath the words take longer: they are dimmed from the answer with new words on, until they are of those.

const form = document.getElementById("lab");
const checks = document.getElementById("checks");
let asked; // the request for checks of the words that are shown

document.addEventListener("htmx:before:request", ({ detail }) => {
  if (detail.ctx.sourceElement === checks) asked = detail.ctx;
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.sourceElement === form) {
    asked = null;
    checks.setAttribute("data-stale", "");
  } else if (detail.ctx === asked) checks.removeAttribute("data-stale");
});
