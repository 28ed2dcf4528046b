// Texts from files: a text file is one text; a line of JSONL, or a row of CSV, gives the text of one of its columns.

const MAX_TEXTS = 2000;

// The rows of CSV (RFC 4180): quoted fields may hold commas, line ends, and quotes doubled.
export function csvRows(text) {
  const rows = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\n|\r|$)/g)) {
    rows.at(-1).push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1 || row[0]);
}

function csvRecords(text) {
  const [header = [], ...rows] = csvRows(text);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ""])));
}

const jsonRecords = (text) => text.split("\n").filter((line) => line.trim()).map((line) => {
  const value = JSON.parse(line);
  return typeof value === "string" ? { text: value } : value;
});

const readers = { csv: csvRecords, jsonl: jsonRecords, ndjson: jsonRecords };

async function read(file) {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  const records = readers[file.name.toLowerCase().split(".").at(-1)]?.(text);
  return records ? { name: file.name, records } : { name: file.name, text };
}

// Every file read. Throws with the name of one that cannot be.
export function load(files) {
  return Promise.all([...files].map((file) => read(file).catch((error) => {
    throw new Error(`${file.name} cannot be read: ${error instanceof TypeError ? "it is not UTF-8" : error.message}.`);
  })));
}

// The columns that hold texts, the likeliest first.
export function fields(sources) {
  const names = new Set();
  for (const { records = [] } of sources) {
    for (const record of records) for (const [name, value] of Object.entries(record)) if (typeof value === "string") names.add(name);
  }
  return [...names].sort((a, b) => (b === "text") - (a === "text"));
}

// The texts by name, one column of each record.
export function texts(sources, field) {
  const pairs = sources.flatMap(({ name, records, text }) => records === undefined
    ? [[name, text]]
    : records.flatMap((record, i) => typeof record[field] === "string" ? [[`${name} ${i + 1}`, record[field]]] : []));
  return pairs.slice(0, MAX_TEXTS);
}
