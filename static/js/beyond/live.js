// A slider takes effect while it is moved, and says its value.

import { follow } from "../typing.js";

document.addEventListener("input", ({ target }) => {
  if (target.type !== "range") return;
  document.querySelector(`[data-for="${target.name}"]`).textContent = target.value;
  follow();
});
