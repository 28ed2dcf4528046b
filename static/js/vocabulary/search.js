// The address keeps the search and the row at the top of the list, so that the page can be linked and returned to.

import { markedIds } from "./marks.js";
import { list, top } from "./rows.js";

const form = document.getElementById("lab");
const DEFAULTS = { by: "text", match: "contains", sort: "id", shortest: "0" };
let timer;

export function address(offset = list() ? top() : 0) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value && value !== DEFAULTS[name]) query.append(name, value);
  if (offset) query.set("offset", offset);
  if (markedIds()) query.set("marked", markedIds());
  return `${form.getAttribute("action")}${query.size ? `?${query.toString().replaceAll("%2C", ",")}` : ""}`;
}

const onList = () => location.pathname === new URL(form.action).pathname;
const remember = (offset) => onList() && history.replaceState(history.state, "", address(offset));

function follow() {
  clearTimeout(timer);
  timer = setTimeout(() => remember(), 250);
}

document.addEventListener("htmx:after:swap", () => {
  remember();
  const found = document.querySelector("#result .found-count")?.textContent ?? document.querySelector("#result .problem p")?.textContent;
  document.getElementById("said").textContent = found ?? "";
});
document.addEventListener("marked", () => remember());
// Whoever reloads as soon as the rows are seen gets the same rows, from the first.
document.addEventListener("htmx:before:swap", () => remember(0));
// The scroll of the list does not bubble.
document.addEventListener("scroll", ({ target }) => target === list() && follow(), { capture: true });
document.addEventListener("htmx:error", () => {
  document.getElementById("said").textContent = "Can’t reach the server. This list is out of date.";
});
