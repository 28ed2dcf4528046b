// The address follows each result, so that it can be copied; a text that is too long for it leaves it as it is.

import { copyText, say } from "../clipboard.js";

const address = () => document.querySelector("#result [data-address]")?.dataset.address;

document.addEventListener("htmx:after:swap", () => {
  if (address()) history.replaceState({ own: true }, "", address());
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-link]");
  if (!button) return;
  const carries = button.dataset.link || "the text and the changed components";
  if (address()) copyText(new URL(address(), location.href).href, `Link copied. It carries ${carries}; nothing is stored.`);
  else say("The text is too long for a link.");
});
