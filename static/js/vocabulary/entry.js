// A click on a token opens it beside the list, where there is room; the address is that of the token, and Back closes it.

import { list } from "./rows.js";
import { address } from "./search.js";

const panel = document.getElementById("entry");
const wide = matchMedia("(min-width: 75rem)");
const isEntry = (url) => /\/\d+$/.test(url.pathname) && url.pathname.startsWith(`${document.getElementById("lab").getAttribute("action")}/`);
let opener = null;
let latest = "";

async function show(url) {
  latest = url.href;
  const answer = await fetch(url, { headers: { "HX-Request": "true" } });
  const text = await answer.text();
  if (latest !== url.href) return;
  panel.innerHTML = text;
  panel.hidden = false;
  panel.scrollTop = 0;
  pick(url.pathname.split("/").at(-1));
}

function pick(id) {
  list()?.querySelectorAll(".row.picked").forEach((row) => row.classList.remove("picked"));
  if (id) list()?.querySelector(`.row[data-id="${id}"]`)?.classList.add("picked");
}

function close() {
  latest = "";
  if (panel.hidden) return;
  const inside = panel.contains(document.activeElement);
  panel.hidden = true;
  pick("");
  if (inside && opener?.isConnected) opener.focus();
}

function leave() {
  if (panel.hidden) return;
  close();
  history.pushState(null, "", address());
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) return leave();
  const link = event.target.closest(".list a, .entry-panel a") ?? event.target.closest(".list .row[data-place]")?.querySelector("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !wide.matches) return;
  const url = new URL(link.href);
  if (!isEntry(url) || !getSelection().isCollapsed) return;
  event.preventDefault();
  if (link.closest(".list")) opener = link;
  history.pushState(null, "", url);
  show(url).then(() => event.detail === 0 && panel.focus({ preventScroll: true })); // opened with the keyboard
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leave();
});

addEventListener("popstate", () => (isEntry(new URL(location)) ? show(new URL(location)) : close()));
document.addEventListener("htmx:after:swap", leave);
