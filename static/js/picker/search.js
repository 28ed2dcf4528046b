// Which rows of a picker match what is typed, the best first: a row that is called so, then one with a word in its name
// that begins so, then one by its maker or another name, then one that has the letters anywhere. Equal ones stay in their order, which is newest first.

const HERE = 0.5; // a model that is not here comes after those that are

const folded = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const words = (text) => folded(text).split(/[^\p{L}\p{N}.]+/u).filter(Boolean);
const joined = (text) => folded(text).replace(/[^\p{L}\p{N}*]+/gu, "");
const names = (called, whole) => (called.endsWith("*") ? whole.startsWith(called.slice(0, -1)) : called === whole);

export function read(option) {
  const { name = option.text, maker = "", also = "", family = "" } = option.dataset;
  const all = [name, option.value, ...also.split(", ")].filter(Boolean);
  return {
    option,
    called: all.map(joined),
    headline: joined(name),
    own: words(`${name} ${option.value}`),
    words: words([...all, maker, family, option.parentElement.label].join(" ")),
    text: joined([...all, maker].join(" ")),
  };
}

function rank(row, typed) {
  const whole = joined(typed);
  const missing = row.option.disabled ? HERE : 0;
  if (row.headline === whole) return missing;
  if (row.called.some((one) => names(one, whole))) return 1 + missing;
  const begins = (all) => words(typed).every((word) => all.some((one) => one.startsWith(word)));
  if (begins(row.own)) return 2 + missing;
  if (begins(row.words)) return 3 + missing;
  return row.text.includes(whole) ? 4 + missing : Infinity;
}

export function matching(rows, typed) {
  if (!typed.trim()) return rows;
  return rows.map((row) => ({ row, at: rank(row, typed) })).filter(({ at }) => at < Infinity)
    .sort((a, b) => a.at - b.at).map(({ row }) => row);
}
