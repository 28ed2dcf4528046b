// htmx copies the attribute "style" from old elements to new ones with the same id, which the policy refuses.

document.addEventListener("htmx:before:swap", () => {
  for (const one of document.querySelectorAll("#result [id][style]")) one.removeAttribute("style");
});
