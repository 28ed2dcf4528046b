// Keep htmx from sending the address, whose fragment may carry a text; leave downloads to the browser; and announce the
// result of a request.

document.addEventListener("htmx:config:request", (event) => {
  delete event.detail.ctx.request.headers["HX-Current-URL"];
});

document.addEventListener("submit", (event) => {
  if (event.submitter?.hasAttribute("formaction")) event.stopImmediatePropagation();
}, { capture: true });

document.addEventListener("htmx:after:swap", () => {
  document.getElementById("announce").textContent = document.querySelector(".counts, .compared")?.dataset.said ?? "";
});

document.addEventListener("htmx:error", () => {
  document.getElementById("said").textContent = "The server does not respond. Your text is still here.";
});
