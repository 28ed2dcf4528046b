// The address of a calculator carries its numbers, so that it can be shared.

const form = document.querySelector("main form");

form.addEventListener("input", () => history.replaceState(null, "", `?${new URLSearchParams(new FormData(form))}`));
