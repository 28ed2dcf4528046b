// One tab stop for the tokens of a window; arrows, Home and End move between them.

const rows = (window) => window.querySelector(".text") ?? window.querySelector(".ids") ?? window.querySelector(".bytes");
const tokens = (window) => [...(rows(window)?.querySelectorAll("[data-i]") ?? [])];

function ready(window) {
  tokens(window).forEach((token, at) => {
    const said = token.dataset.said ?? token.dataset.label;
    if (said) token.setAttribute("aria-label", said);
    token.setAttribute("role", "button");
    token.tabIndex = at ? -1 : 0;
  });
}

document.addEventListener("shown", (event) => ready(event.target));
document.querySelectorAll(".window.cut").forEach(ready);

function focus(token) {
  if (!token) return;
  const window = token.closest(".window");
  window.querySelectorAll("[data-i][tabindex='0']").forEach((other) => (other.tabIndex = -1));
  token.tabIndex = 0;
  token.focus();
  token.scrollIntoView({ block: "nearest" });
}

// The token on the next line above or below that stands closest.
function vertical(all, from, down) {
  const here = from.getClientRects()[0];
  const middle = (here.left + here.right) / 2;
  const lines = all.map((token) => ({ token, box: token.getClientRects()[0] })).filter(({ box }) =>
    box && (down ? box.top >= here.bottom - 1 : box.bottom <= here.top + 1));
  const edge = down ? Math.min(...lines.map(({ box }) => box.top)) : Math.max(...lines.map(({ box }) => box.top));
  const away = ({ box }) => Math.abs((box.left + box.right) / 2 - middle);
  return lines.filter(({ box }) => Math.abs(box.top - edge) < here.height).sort((a, b) => away(a) - away(b))[0]?.token;
}

function sibling(window, forward) {
  const all = [...document.querySelectorAll(".window.cut")].filter((one) => one.checkVisibility());
  const next = all[all.indexOf(window) + (forward ? 1 : -1)];
  return next && tokens(next).at(forward ? 0 : -1);
}

document.addEventListener("keydown", (event) => {
  const from = event.target.closest?.(".window [data-i][role=button]");
  if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
  const window = from.closest(".window");
  const all = tokens(window);
  const at = all.indexOf(from);
  const rightToLeft = getComputedStyle(from).direction === "rtl";
  const step = (by) => all[at + by] ?? sibling(window, by > 0);
  const moves = {
    ArrowRight: () => step(rightToLeft ? -1 : 1),
    ArrowLeft: () => step(rightToLeft ? 1 : -1),
    ArrowDown: () => vertical(all, from, true) ?? sibling(window, true),
    ArrowUp: () => vertical(all, from, false) ?? sibling(window, false),
    Home: () => all[0],
    End: () => all.at(-1),
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  focus(moves[event.key]());
});
