// The fields of a form that all pages share, whatever they are called there: the text, the tokenizer or the tokenizers,
// and the policy for special tokens.

const radios = (form, name) => [...form.elements].filter((field) => field.name === name && field.type === "radio");
const picked = (select) => [...select.selectedOptions].map(({ value }) => value);

// The choices of those fields that `wanted` names.
export function choices(form, wanted) {
  const { tokenizer: select, special, order } = form.elements;
  const state = {};
  if (wanted("tokenizer") && select?.multiple) Object.assign(state, { tokenizers: picked(select), order: order?.value });
  else if (wanted("tokenizer") && select) Object.assign(state, { tokenizer: select.value, model: select.selectedOptions[0]?.text });
  if (wanted("special") && special) state.special = special.type === "checkbox" ? (special.checked ? "parse" : "text") : special.value;
  const branch = radios(form, "branch").find(({ checked }) => checked);
  if (branch) state.branch = branch.value; // of Steps alone
  return state;
}

function choose(select, { tokenizer, model }) {
  const offered = [...select.options].filter((option) => option.value === tokenizer && !option.disabled && !option.dataset.note);
  const option = offered.find(({ text }) => text === model) ?? offered[0];
  if (!option || option.selected) return false;
  option.selected = true;
  return true;
}

function chooseSeveral(form, { tokenizer, tokenizers = picked(form.elements.tokenizer), order }) {
  const { tokenizer: select, order: field } = form.elements;
  order ??= field?.value ?? "";
  const most = Number(select.closest("[data-max]")?.dataset.max ?? Infinity);
  const chosen = order.split(" ").filter((id) => tokenizers.includes(id));
  const offered = new Set([...select.options].map(({ value }) => value)); // a model without a tokenizer is a row of Compare alone
  const kept = [...new Set([...chosen, ...tokenizers])].filter((id) => offered.has(id)).slice(0, most); // a page may have room for fewer
  const add = tokenizer && !kept.includes(tokenizer) && kept.length < most;
  const wanted = new Set(add ? [tokenizer, ...kept] : kept);
  const before = picked(select).join(" ");
  const left = new Set(wanted);
  for (const option of select.options) option.selected = left.delete(option.value);
  if (field) field.value = [...wanted].join(" ");
  return before !== picked(select).join(" ");
}

function setSpecial(form, policy) {
  const { special } = form.elements;
  if (!special || !policy) return false;
  if (special.type === "checkbox") {
    const changed = special.checked !== (policy === "parse");
    special.checked = policy === "parse";
    return changed;
  }
  const radio = radios(form, "special").find(({ value }) => value === policy);
  if (!radio || radio.checked) return false;
  return (radio.checked = true);
}

// Set the fields that the page has, and return whether that changed any.
export function applyChoices(form, state) {
  const { tokenizer: select } = form.elements;
  const several = select?.multiple ? chooseSeveral(form, state) : select && choose(select, state);
  const special = setSpecial(form, state.special);
  // A text that comes from another page is one to encode.
  const branch = radios(form, "branch").find(({ value }) => value === (state.carried ? "encode" : state.branch ?? "encode"));
  const other = Boolean(branch && !branch.checked && state.text !== undefined);
  if (other) branch.checked = true;
  return Boolean(several || special || other);
}

// A page that has not one text, such as a conversation, takes none.
export function applyText(form, text) {
  const field = form.elements.text;
  if (!field || text === undefined || field.value === text) return false;
  field.value = text;
  return true;
}
