// While an operation runs: the seconds left count down between two updates, and its end shows the report.

setInterval(() => {
  const left = document.querySelector("[data-left]");
  if (left) left.textContent = Math.max(1, Number(left.textContent) - 1);
}, 1000);

document.addEventListener("htmx:after:swap", () => {
  if (document.querySelector("[data-ended]")) location.reload();
});
