// The rows of a picker as elements: groups while nothing is typed, one list of matches else.

import { matching } from "./search.js";

function element(kind, className, text) {
  return Object.assign(document.createElement(kind), { className, textContent: text });
}

function about({ maker, year, size, note, todo }) {
  return [[maker, year].filter(Boolean).join(", "), todo ?? size, note].filter(Boolean).join(" · ");
}

function rowElement({ option }, id, chosen, several, full) {
  const { name = option.text, add, unpublished } = option.dataset;
  const row = element("div", "picker-row", "");
  const vocabulary = option.text.startsWith(`${name} · `) ? option.value : "";
  row.append(element("span", "picker-name", vocabulary || option.disabled ? name : option.text));
  if (vocabulary) row.append(" · ", element("span", "picker-vocabulary", vocabulary));
  row.append(element("span", "picker-about", about(option.dataset)));
  const selected = several ? chosen.includes(option.value) && !option.disabled : option.selected;
  const off = option.disabled ? add === undefined && unpublished === undefined : several && full && !selected;
  Object.assign(row, { id, role: "option", ariaSelected: String(selected), ariaDisabled: off ? "true" : null });
  row.option = option;
  return row;
}

function groups(rows, list) {
  const titles = [...new Set(rows.map(({ option }) => option.parentElement.label))];
  return titles.map((title) => {
    const group = element("div", "picker-group", "");
    Object.assign(group, { role: "group", ariaLabel: title });
    const heading = element("div", "picker-title", title);
    heading.setAttribute("aria-hidden", "true");
    group.append(heading, ...list.filter((row) => row.option.parentElement.label === title));
    return group;
  });
}

// Fill the list with the rows that match, and return them.
export function fillRows(list, rows, typed, { chosen, several, full }) {
  const matches = matching(rows, typed);
  const elements = matches.map((row, at) => rowElement(row, `${list.id}-${at}`, chosen, several, full));
  list.replaceChildren(...(typed.trim() ? elements : groups(matches, elements)));
  if (!elements.length) list.append(element("p", "picker-none quiet", `No match for “${typed}”. Try a model, a maker or a vocabulary, such as “mistral” or “gpt2”.`));
  return elements;
}
