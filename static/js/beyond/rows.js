// Add a row for another picture in the page; without a script the server does it.

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add-row]");
  if (!button) return;
  event.preventDefault();
  const rows = button.parentElement.querySelectorAll(".image-row");
  const row = rows[rows.length - 1].cloneNode(true);
  row.setAttribute("aria-label", `Picture ${rows.length + 1}`);
  for (const input of row.querySelectorAll("input")) input.value = "";
  button.before(row);
  row.querySelector("input").focus();
});
