// A native list of tokenizers becomes a combobox: what is typed searches models, makers and vocabularies. The native list
// stays the field of the form; a list of several shows what is chosen elsewhere on the page.

import { absent } from "./picker/absent.js";
import { keyboard } from "./picker/keyboard.js";
import { follow, place } from "./picker/place.js";
import { fillRows } from "./picker/rows.js";
import { read } from "./picker/search.js";
import { chips } from "./picker/several.js";

function picker(root) {
  const [field, select, list] = [".picker-field", ".picker-list", ".picker-rows"].map((one) => root.querySelector(one));
  const several = "several" in root.dataset;
  let rows = [...select.options].map(read);
  let shown = [];
  let active = null;

  const show = () => (field.value = several ? "" : select.selectedOptions[0]?.text ?? "");

  function point(row) {
    active?.classList.remove("active");
    active = row ?? null;
    active?.classList.add("active");
    active?.scrollIntoView({ block: "nearest" });
    if (active) field.setAttribute("aria-activedescendant", active.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function open(typed = "") {
    if (!list.matches(":popover-open")) list.showPopover();
    if (!typed) field.select();
    field.ariaExpanded = "true";
    place(field, list);
    if (rows.length !== select.options.length) rows = [...select.options].map(read); // one was added
    const chosen = [...select.selectedOptions].map(({ value }) => value);
    shown = fillRows(list, rows, typed, { chosen, several, full: chosen.length >= Number(root.dataset.max ?? Infinity) });
    root.querySelector("[data-matches]").textContent = typed ? `${shown.length} ${shown.length === 1 ? "match" : "matches"}` : "";
    point(typed ? shown[0] : several ? null : shown.find((row) => row.option.selected));
  }

  function close() {
    if (list.matches(":popover-open")) list.hidePopover();
    field.ariaExpanded = "false";
    point(null);
    show();
  }

  // A tokenizer of several rows is chosen once.
  function choose(row = active) {
    if (row && !row.ariaDisabled) take(row.option);
  }

  function take(option) {
    if (absent(root, option, take)) return close();
    const same = [...select.selectedOptions].filter(({ value }) => value === option.value);
    if (several && same.length) for (const one of same) one.selected = false;
    else option.selected = true;
    close();
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function walk(by) {
    const at = active ? shown.indexOf(active) + by : by > 0 ? 0 : shown.length - 1;
    point(shown[Math.min(shown.length - 1, Math.max(0, at))]);
  }

  keyboard(field, { open, close, walk, choose });
  follow(field, list);
  if (several) chips(root, select);
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    open(field.value);
  });
  field.addEventListener("change", (event) => event.stopPropagation());
  field.addEventListener("click", () => {
    if (field.ariaExpanded !== "true") open();
  });
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => event.target.closest(".picker-row") && choose(event.target.closest(".picker-row")));
  select.addEventListener("change", show);
  select.addEventListener("choose", ({ detail }) => take(detail)); // the page has another way to choose
  select.form?.addEventListener("restored", show);
  root.querySelector("label").htmlFor = field.id;
  show();
}

document.querySelectorAll("[data-picker]").forEach(picker);
