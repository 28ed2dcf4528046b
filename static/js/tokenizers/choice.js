// A tokenizer that was added becomes a choice of the picker of this page, whichever kind of control that is, and is chosen.

const escaped = (id) => CSS.escape(id);

function option(select, id, title) {
  const known = [...select.options].find(({ value }) => value === id);
  if (!known) select.add(new Option(title, id), 0);
  select.value = id;
  return select;
}

function box(sample, id, title) {
  const known = document.querySelector(`input[name=tokenizer][value="${escaped(id)}"]`);
  if (known) return known;
  const label = sample.closest("label").cloneNode(true);
  const input = label.querySelector("input");
  input.value = id;
  input.checked = input.disabled = false;
  for (const name of ["scratch", "template"]) delete input.dataset[name];
  label.title = title;
  (label.querySelector(".name") ?? label.querySelector("span")).textContent = title;
  for (const part of label.querySelectorAll(".size, .models")) part.textContent = part.matches(".size") ? "" : "yours";
  sample.closest("label").before(label);
  return input;
}

// Return false on a page without a picker.
export function choose(id, title) {
  const select = document.querySelector("select[name=tokenizer]");
  const sample = document.querySelector("input[name=tokenizer]");
  if (!select && !sample) return false;
  const control = select ? option(select, id, title) : box(sample, id, title);
  if (!select) control.checked = true;
  control.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}
