// The table of many texts: a row for each text, a column for each tokenizer, the sums below; and the same as CSV.

const table = document.getElementById("ledger");
const options = document.querySelector("select[name=tokenizer]").options;
const label = (id) => [...options].find(({ value }) => value === id)?.text ?? id;
const number = (value) => (value === null ? "failed" : value.toLocaleString("en"));

function cell(row, content, tag = "td", scope = "") {
  const element = document.createElement(tag);
  element.textContent = content;
  if (scope) element.scope = scope;
  row.append(element);
}

export class Ledger {
  constructor(tokenizers) {
    this.tokenizers = tokenizers;
    this.rows = [];
    table.replaceChildren();
    table.hidden = false;
    const head = table.createTHead().insertRow();
    for (const name of ["Text", "Bytes", ...tokenizers.map(label)]) cell(head, name, "th", "col");
    this.body = table.createTBody();
    this.foot = table.createTFoot().insertRow();
  }

  add(name, bytes, tokens) {
    this.rows.push([name, bytes, ...tokens]);
    this.line(this.body.insertRow(), name, [bytes, ...tokens]);
    this.foot.replaceChildren();
    const sums = this.rows[0].slice(1).map((_, i) => this.rows.reduce((sum, row) => (row[i + 1] === null || sum === null ? null : sum + row[i + 1]), 0));
    this.line(this.foot, "Total", sums);
  }

  line(row, name, values) {
    cell(row, name, "th", "row");
    for (const value of values) cell(row, number(value));
  }

  csv() {
    // A text that a spreadsheet would take for a formula gets an apostrophe before it, as in app/csv_text.py.
    const harmless = (value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value ?? "");
    const quoted = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
    return [["text", "bytes", ...this.tokenizers], ...this.rows].map((row) => `${row.map(harmless).map(quoted).join(",")}\r\n`).join("");
  }
}
