// A prompt either ends with the generation prompt or continues the final message: checking one unchecks the other.

const PAIR = ["prompted", "continued"];

document.addEventListener("change", ({ target }) => {
  if (!target.checked || !PAIR.includes(target.name)) return;
  target.form.elements[PAIR.find((name) => name !== target.name)].checked = false;
});
