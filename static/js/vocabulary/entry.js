// A click on a token opens it beside the list, where there is room; the address is that of the token, and Back closes it.
// While it is open, it follows the row that has the focus.

import { list } from "./rows.js";
import { address } from "./search.js";

const panel = document.getElementById("entry");
const wide = matchMedia("(min-width: 75rem)");
const isEntry = (url) => /\/\d+$/.test(url.pathname) && url.pathname.startsWith(`${document.getElementById("lab").getAttribute("action")}/`);
let opener = null;
let latest = "";
let timer;
const PAUSE = 120; // milliseconds; rows passed by then are not requested

async function show(url) {
  latest = url.href;
  const answer = await fetch(url, { headers: { "HX-Request": "true" } });
  const text = await answer.text();
  if (latest !== url.href) return;
  panel.innerHTML = text;
  panel.hidden = false;
  panel.scrollTop = 0;
  panel.dispatchEvent(new Event("filled", { bubbles: true }));
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
  if (event.target.closest(".tickcell, [data-sort]")) return;
  const link = event.target.closest(".list a, .entry-panel a, .direct a") ?? event.target.closest(".list .row[data-place]")?.querySelector("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !wide.matches) return;
  const url = new URL(link.href);
  if (!isEntry(url) || !getSelection().isCollapsed) return;
  event.preventDefault();
  if (link.closest(".list")) opener = link;
  history.pushState(null, "", url);
  show(url).then(() => event.detail === 0 && tell()); // opened with the keyboard
});

function tell() {
  document.getElementById("said").textContent = `${panel.querySelector("h1")?.textContent ?? ""} is shown beside the list.`;
}

document.addEventListener("focusin", ({ target }) => {
  const link = panel.hidden || !wide.matches ? null : target.closest(".list .row[data-id] a");
  if (!link || latest === link.href) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (panel.hidden) return;
    opener = link;
    history.replaceState(null, "", link.href);
    show(new URL(link.href));
  }, PAUSE);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leave();
});

addEventListener("popstate", () => (isEntry(new URL(location)) ? show(new URL(location)) : close()));
document.addEventListener("htmx:after:swap", leave);
