// Close the open menu on a click elsewhere or on one of its items, and on Escape, which gives its button the focus back.
// Keep what it opens within the window.

const MARGIN = 8; // pixels beside it

const open = () => document.querySelector("details.menu[open]");

document.addEventListener("click", ({ target }) => {
  const menu = open();
  if (menu && (!menu.contains(target) || target.closest(".menu-items :is(a, button)"))) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const menu = open();
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
  event.stopPropagation();
});

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches("details.menu[open]")) return;
  const items = target.querySelector(".menu-items");
  items.style.translate = "none";
  const { left, right } = items.getBoundingClientRect();
  const room = document.documentElement.clientWidth - MARGIN;
  items.style.translate = `${Math.max(MARGIN - left, Math.min(0, room - right))}px`;
}, { capture: true });
