// Keeps in the address what is asked for, so that the page can be sent on; what is as it would be anyway is left out.

const form = document.getElementById("lab");
const USUAL = { measure: "premium", order: "falling" };

export function remember() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value && value !== USUAL[name]) query.append(name, value);
  history.replaceState(null, "", `?${query}`);
}

form?.addEventListener("change", remember);
document.addEventListener("htmx:error", () => {
  document.getElementById("said").textContent = "The server does not answer.";
});
