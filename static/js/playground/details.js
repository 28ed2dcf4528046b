// A click on a token opens its details; Escape closes them and returns the focus. A listed occurrence is jumped to.

import { part } from "../part.js";
import { reach } from "./windows.js";

const panel = document.getElementById("details");
let opener = null;
let latest = null; // the token whose details were requested last

const pick = (index) => {
  document.querySelectorAll(".picked").forEach((one) => one.classList.remove("picked"));
  if (index !== null) document.querySelectorAll(`.window [data-i="${index}"]`).forEach((one) => one.classList.add("picked"));
};

async function open(index) {
  latest = index;
  const card = await part("/token", { token: index });
  if (latest !== index) return;
  panel.replaceChildren(card);
  panel.hidden = false;
  panel.scrollTop = 0;
  pick(index);
  uncover();
  // Following the token takes longer than describing it, the more so the first time.
  const origin = await part("/token", { token: index, origin: 1 });
  if (latest === index && origin?.matches(".origins")) panel.querySelector("[data-origin]")?.replaceChildren(origin);
}

// On a narrow screen the panel lies over the lower part of the page: the token moves up from under it.
function uncover() {
  const token = opener?.getBoundingClientRect();
  const box = panel.getBoundingClientRect();
  if (token && token.right > box.left && token.left < box.right && token.bottom > box.top - 12) scrollBy(0, token.bottom - box.top + 24);
}

function close({ restore = true } = {}) {
  latest = null;
  if (panel.hidden) return;
  const inside = panel.contains(document.activeElement);
  panel.hidden = true;
  pick(null);
  if (restore && inside) opener?.focus();
}

async function jump(index) {
  const window = await reach(index);
  const token = window?.querySelector(`[data-i="${index}"]`);
  if (!token) return;
  token.scrollIntoView({ block: "center" });
  (token.matches("[role=button]") ? token : token.querySelector("button") ?? token).focus({ preventScroll: true });
  opener = token;
  open(index);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) return close();
  const place = event.target.closest("[data-jump]");
  if (place) {
    event.preventDefault();
    return jump(Number(place.dataset.jump));
  }
  const token = event.target.closest(".window [data-i]");
  if (!token || !getSelection().isCollapsed) return;
  event.preventDefault();
  opener = event.target.closest("button") ?? token;
  open(Number(token.dataset.i));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  const token = event.target.closest?.(".window [data-i][role=button]");
  if (!token || !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  opener = token;
  open(Number(token.dataset.i));
});

document.addEventListener("htmx:after:swap", () => close({ restore: false }));
