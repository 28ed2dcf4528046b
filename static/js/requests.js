// Keeps htmx discreet: the address, whose fragment may carry a text, is not sent along; downloads are left to
// the browser; and what came of a request is said aloud.

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
  document.getElementById("said").textContent = "The server does not answer. What you typed is still here.";
});
