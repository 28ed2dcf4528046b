// The table: a click on a row makes it the baseline, a tokenizer that is not here is downloaded in its row, and the measures below stay open.

import { tokenize } from "../typing.js";

let open = false;

document.addEventListener("click", ({ target }) => {
  if (target.closest("a, button") || !getSelection().isCollapsed) return;
  target.closest(".tally tbody tr")?.querySelector("th button")?.click();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-request]");
  if (!link) return;
  event.preventDefault();
  import("../picker/request.js").then(({ request }) => request(link.href, tokenize));
});

const measures = () => document.querySelector(".measures");
document.addEventListener("toggle", ({ target }) => target === measures() && (open = target.open), { capture: true });
document.addEventListener("htmx:after:swap", () => open && measures() && (measures().open = true));
