// Close the open menu on a click elsewhere or on one of its items, and on Escape, which gives its button the focus back.

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
