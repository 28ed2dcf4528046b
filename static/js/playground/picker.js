// The tokenizer picker: a search that filters the list, a line that names the choice, and arrows between the two.

const picker = document.getElementById("picker");
const seek = document.getElementById("seek");
const summary = picker.querySelector("summary");
const choices = [...picker.querySelectorAll(".choice")];
const words = (choice) => `${choice.querySelector("input").value} ${choice.closest("fieldset").textContent.trim().split("\n")[0]} ${choice.textContent}`.toLowerCase();

function narrow() {
  const wanted = seek.value.toLowerCase().split(/\s+/);
  for (const choice of choices) choice.hidden = !wanted.every((word) => words(choice).includes(word));
  for (const family of picker.querySelectorAll(".family")) family.hidden = !family.querySelector(".choice:not([hidden])");
  picker.querySelector("[data-query]").textContent = seek.value;
  picker.querySelector(".none").hidden = choices.some((choice) => !choice.hidden);
}

function showChosen() {
  const input = picker.querySelector("input[name=tokenizer]:checked");
  const choice = input.closest(".choice");
  const [name, size, models] = ["name", "size", "models"].map((part) => choice.querySelector(`.${part}`).textContent);
  picker.querySelector("[data-chosen=title]").textContent = name;
  picker.querySelector("[data-chosen=about]").textContent = `${size} · ${models}`;
  document.querySelector("[data-chosen=library]").textContent = input.dataset.scratch ?? "none";
  document.querySelector("[data-chosen=template]").textContent = input.dataset.template ?? "";
}

function close() {
  picker.open = false;
  summary.focus();
}

seek.addEventListener("input", narrow);

picker.addEventListener("toggle", () => {
  if (!picker.open) return;
  seek.value = "";
  narrow();
  seek.focus({ preventScroll: true });
  const list = picker.querySelector(".choices");
  list.scrollTop = picker.querySelector("input:checked").closest(".choice").offsetTop - list.offsetTop - list.clientHeight / 2;
});

picker.addEventListener("change", showChosen);
document.getElementById("lab").addEventListener("restored", showChosen);

picker.addEventListener("click", (event) => {
  if (event.target.matches("input[type=radio]") && event.detail) close();
});

picker.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picker.open) close();
  if (event.key === "Enter" && event.target.matches("input")) {
    event.preventDefault();
    const first = choices.find((choice) => !choice.hidden);
    if (event.target === seek && first) first.querySelector("input").click();
    close();
  }
  if (event.key === "ArrowDown" && event.target === seek) {
    event.preventDefault();
    const open = choices.filter((choice) => !choice.hidden).map((choice) => choice.querySelector("input"));
    (open.find((input) => input.checked) ?? open[0])?.focus();
  }
});

document.addEventListener("pointerdown", (event) => {
  if (picker.open && !picker.contains(event.target)) picker.open = false;
});
