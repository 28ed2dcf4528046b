// The languages that are chosen are named, and one is found by typing.

const list = document.querySelector(".train-languages");
const labels = [...list.querySelectorAll("label")];

function name() {
  const chosen = labels.filter((label) => label.control.checked).map((label) => label.textContent.trim());
  document.getElementById("chosen").textContent = chosen.join(", ");
}

document.getElementById("seek").addEventListener("input", (event) => {
  const sought = event.target.value.trim().toLowerCase();
  for (const label of labels) label.hidden = !label.textContent.toLowerCase().includes(sought);
});

list.addEventListener("change", name);
name();
