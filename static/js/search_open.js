// Load the search when it is first opened.

const load = async () => (await import("./search.js")).open();

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  load();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-search]") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  load();
});
