// A web worker that runs a learner's Python. It is told a program, the code after it and the calls that check it, and
// tells when Python is loaded, what is printed, and what each call returns. Python sees nothing of JavaScript, and what
// loads files is taken away before the program runs.

const FOLDER = "/static/vendor/pyodide-314.0.7/";
const LIBRARY = "/static/vendor/python-library-314.0.7.zip";
const SHOWN = 300; // characters of a value
const PRINTED = 2000; // characters of what is printed
const INFO = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
let room = PRINTED;
let module;
let python;

function print(line) {
  const text = `${line}\n`;
  if (room > 0) postMessage({ printed: text.length > room ? `${text.slice(0, room)}…` : text });
  room -= text.length;
}

// Pyodide waits for ever if its connection is lost: what it takes from the cache is there before it begins.
async function fill(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(response.status);
  await response.arrayBuffer();
}

async function load() {
  const files = [`${FOLDER}pyodide.asm.mjs`, `${FOLDER}pyodide.asm.wasm`, LIBRARY];
  const [module] = await Promise.all([import("/static/vendor/pyodide-314.0.7/pyodide.mjs"), ...files.map(fill)]);
  return module;
}

async function start({ loadPyodide }) {
  const loaded = await loadPyodide({
    indexURL: FOLDER,
    stdLibURL: LIBRARY,
    lockFileContents: { info: INFO, packages: {} },
    jsglobals: {},
    stdin: () => null,
    stdout: print,
    stderr: print,
  });
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "caches", "indexedDB"]) {
    Object.defineProperty(self, name, { value: undefined });
  }
  return loaded;
}

// The last line of Python's message, and the line of the program in which it went wrong.
function explain({ type, message }) {
  const places = [...message.matchAll(/File "program\.py", line (\d+)/g)];
  const fault = message.trimEnd().split("\n").at(-1).slice(0, SHOWN);
  return { type, fault, line: places.at(-1)?.[1], broken: !type };
}

function check({ program, around, calls }) {
  const globals = python.globals.get("dict")();
  try {
    python.runPython(program, { globals, filename: "program.py" });
    python.runPython(around, { globals, filename: "around.py" });
  } catch (error) {
    postMessage({ ...explain(error), done: true });
    return;
  }
  for (const [number, call] of calls.entries()) {
    try {
      postMessage({ number, found: python.runPython(`repr(${call})[:${SHOWN}]`, { globals }) });
    } catch (error) {
      postMessage({ number, ...explain(error) });
    }
  }
  globals.destroy();
  postMessage({ done: true });
}

onmessage = async ({ data }) => {
  try {
    module ??= await load();
  } catch {
    postMessage({ lost: true });
    return;
  }
  try {
    python ??= await start(module);
    postMessage({ ready: true });
    room = PRINTED;
    check(data);
  } catch {
    postMessage({ broken: true });
  }
};
