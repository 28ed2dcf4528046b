// The fields of the form as [name, value] pairs, and back.

// Links of earlier versions, and those of /embed, name the fields of the playground by letters.
const SHORT_NAMES = { t: "tokenizer", e: "engine", s: "special", m: "template", x: "text", v: "view", w: "spaces" };
const CHOICES = ["radio", "select-one", "select-multiple"];

const form = document.getElementById("lab");

export const hasFile = () => [...form.elements].some((field) => field.type === "file" && field.files.length);

export function read() {
  return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && (name === "content" || value !== ""));
}

// The pairs of an unpacked link, whichever version wrote it.
export function pairsOf(state) {
  if (Array.isArray(state)) return state.map(([name, value]) => [String(name), String(value)]);
  const names = "x" in state ? SHORT_NAMES : {};
  return Object.entries(state).flatMap(([name, value]) => (value === 0 || value === null ? []
    : [value].flat().map((one) => [names[name] ?? name, String(one)])));
}

function offers(name, values) {
  const fields = [...form.elements].filter((field) => field.name === name);
  if (fields.some(({ type }) => type === "hidden")) return true; // it holds what no radio button offers yet
  const choices = fields.filter(({ type }) => CHOICES.includes(type));
  const offered = choices.flatMap((field) => (field.options ? [...field.options] : [field])).map(({ value }) => value);
  return !choices.length || values.some((value) => offered.includes(value));
}

function set(field, values) {
  if (field.type === "checkbox") field.checked = Boolean(values?.includes(field.value));
  else if (!values || ["file", "submit"].includes(field.type)) return;
  else if (field.type === "radio") field.checked = values[0] === field.value;
  else if (field.type === "select-multiple") chooseSeveral(field, values);
  else field.value = values.at(-1);
}

// Several options may have one value, of which the first is chosen.
function chooseSeveral(field, values) {
  const left = new Set(values);
  for (const option of field.options) option.selected = left.delete(option.value);
}

// Fill in the form and return the names of the choices that it does not offer; those stay as they are. A field that the
// page does not have yet, such as the price of a model that is not shown, is added as a hidden one.
export function fill(pairs) {
  const state = new Map();
  for (const [name, value] of pairs) state.set(name, [...(state.get(name) ?? []), value]);
  const unknown = [...state.keys()].filter((name) => !offers(name, state.get(name)));
  for (const field of form.elements) if (!unknown.includes(field.name)) set(field, state.get(field.name));
  for (const [name, values] of state) {
    if (form.elements.namedItem(name)) continue;
    const hidden = Object.assign(document.createElement("input"), { type: "hidden", name, value: values.at(-1) });
    hidden.dataset.restored = "";
    form.append(hidden);
  }
  form.dispatchEvent(new CustomEvent("restored"));
  return unknown;
}

// Leave the fields that were added to the page itself.
export function removeRestored() {
  document.querySelectorAll("[data-restored]").forEach((field) => field.remove());
}

// Send the pairs as a form, for a page whose number of fields only the server knows.
export function post(pairs) {
  const copy = Object.assign(document.createElement("form"), { method: "post", action: location.pathname, hidden: true });
  for (const [name, value] of pairs) copy.append(Object.assign(document.createElement("textarea"), { name, value }));
  document.body.append(copy);
  copy.submit();
}
