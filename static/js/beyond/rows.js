// Rows of pictures: another is added in the page, and each offers the details that the model knows. Without a script the
// server does both.

const images = document.querySelector(".images");
const details = JSON.parse(images.dataset.details);

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add-row]");
  if (!button) return;
  event.preventDefault();
  const rows = images.querySelectorAll(".image-row");
  const row = rows[rows.length - 1].cloneNode(true);
  row.setAttribute("aria-label", `Picture ${rows.length + 1}`);
  for (const field of row.querySelectorAll("input, select")) field.value = "";
  button.before(row);
  row.querySelector("input").focus();
});

// Before the form is sent, so that it sends no detail that the model does not know.
document.addEventListener("change", ({ target }) => {
  if (target.name !== "model") return;
  const [first, ...others] = details[target.value];
  for (const select of images.querySelectorAll("select")) {
    const chosen = others.includes(select.value) ? select.value : "";
    select.replaceChildren(new Option(first ?? "", ""), ...others.map((name) => new Option(name)));
    select.value = chosen;
    select.closest("label").hidden = !first;
  }
}, { capture: true });
