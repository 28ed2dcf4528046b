// Keep the options in the address, so that the page can be shared; defaults are left out.

const form = document.getElementById("lab");
const DEFAULTS = { measure: "premium", order: "falling" };

export function remember() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value && value !== DEFAULTS[name]) query.append(name, value);
  history.replaceState(null, "", `?${query}`);
}

form?.addEventListener("change", remember);
document.addEventListener("htmx:error", () => {
  document.getElementById("said").textContent = "Can’t reach the server. This list is out of date.";
});
