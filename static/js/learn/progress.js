// Which scenes were seen to their end or practised: kept in this browser alone, and shown on the map.

import { keep, read } from "./stored.js";

const KEY = "tokenarium-learn";

const seen = () => new Set(read(KEY, []));
const note = (id) => keep(KEY, [...seen().add(id)]);

function mark() {
  const ids = seen();
  for (const item of document.querySelectorAll("[data-scene]")) item.classList.toggle("seen", ids.has(item.dataset.scene));
  for (const bar of document.querySelectorAll("progress[data-chapter]")) {
    bar.value = document.querySelectorAll(`[data-in="${bar.dataset.chapter}"].seen`).length;
  }
  const count = document.querySelector("[data-seen]");
  if (count) count.textContent = document.querySelectorAll("[data-in].seen").length;
  lead(document.querySelector("[data-begin]"));
}

// The link to begin leads to the first scene that was not seen yet.
function lead(link) {
  const next = document.querySelector("[data-in]:not(.seen) h3 a");
  if (!link || !next) return;
  const begun = document.querySelector("[data-in].seen");
  Object.assign(link, { href: next.href, textContent: `${begun ? "Go on" : "Begin"}: ${next.textContent}` });
}

// A scene is seen when its last step is on the stage.
function check() {
  const view = document.querySelector(".learn-view");
  if (view && Number(view.dataset.step) === Number(view.dataset.total) - 1) note(location.pathname.split("/")[2]);
}

document.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-forget]")) return;
  localStorage.removeItem(KEY);
  mark();
});
document.addEventListener("htmx:after:swap", check);
check();
mark();
