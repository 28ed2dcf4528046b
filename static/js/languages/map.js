// A dot of the map opens the text of its language: its title has the name, whose row has the link.

document.addEventListener("click", ({ target }) => {
  const title = target.closest(".map circle")?.textContent;
  if (!title) return;
  const name = title.slice(0, title.lastIndexOf(" "));
  [...document.querySelectorAll("#atlas tbody th a")].find((link) => link.textContent === name)?.click();
});
