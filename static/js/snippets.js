// A request as code for other tools. Invisible characters are escaped, so that nothing hides in the copied code.

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\uFFFD/gu;
const MAX_COMMAND = 100_000; // characters

function units(char) {
  return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

function json(value) {
  return JSON.stringify(value).replace(HIDDEN, units);
}

// A Python literal: JSON's escapes are Python's, but for characters beyond U+FFFF.
function literal(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  return JSON.stringify(value).replace(HIDDEN, (char) =>
    char.length > 1 ? `\\U${char.codePointAt(0).toString(16).padStart(8, "0")}` : units(char));
}

export function python(origin, body, path = "/tokenize") {
  const entries = Object.entries(body).map(([name, value]) => `    ${literal(name)}: ${literal(value)},`);
  return `import json
import urllib.request

body = {
${entries.join("\n")}
}
request = urllib.request.Request(
    ${literal(`${origin}${path}`)},
    data=json.dumps(body).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(answer["count"], answer["ids"])
`;
}

export function curl(origin, body, path = "/tokenize") {
  const data = json(body);
  if (data.length > MAX_COMMAND) throw new Error("the text is too long for a command line; copy the Python code instead.");
  const quoted = `'${data.replaceAll("'", String.raw`'\''`)}'`;
  return `curl -sS ${origin}${path} -H 'Content-Type: application/json' --data-raw ${quoted}\n`;
}
