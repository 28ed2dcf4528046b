// A tokenizer that was added becomes a choice of the picker of this page, and is chosen.

// Return false on a page without a picker.
export function choose(id, title) {
  const select = document.querySelector("select[name=tokenizer]");
  if (!select) return false;
  let option = [...select.options].find(({ value }) => value === id);
  if (!option) select.add((option = new Option(title, id)), 0);
  option.selected = true;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}
