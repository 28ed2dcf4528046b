// A slider and the number beside it say the same. The number is what the form sends, so it changes before others look.

document.addEventListener("input", ({ target }) => {
  const name = target.dataset.pair ?? target.name;
  const form = target.closest("form");
  const [number, slider] = [form?.elements[name], form?.querySelector(`[data-pair="${name}"]`)];
  if (!slider) return;
  if (target === slider) number.value = slider.value;
  else slider.value = number.value;
}, { capture: true });
