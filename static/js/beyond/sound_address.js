// The address carries what was chosen; a sound of the user's is not in it.

const form = document.getElementById("lab");

form.addEventListener("input", () => {
  const chosen = ["sound", "size", "codebooks"].map((name) => [name, form.elements[name].value]);
  history.replaceState(null, "", `?${new URLSearchParams(chosen)}`);
});
