// Follow a hall: each event is a part of the page, which replaces the one of its name. The connection is made again
// after the server was away or the phone has slept, and whatever was sent before is shown as it is then.

const SILENT = 25_000; // milliseconds without an event, of which there is one every ten seconds, until a new connection
const DOZED = 12_000;
const AGAIN = 1_000;

// What this page has chosen, by the data-key of a form or a list: marked again in parts that were sent to all alike.
const own = new Map();

function mark(part) {
  for (const place of part.querySelectorAll("[data-key]")) {
    const value = own.get(place.dataset.key);
    if (value === undefined) continue;
    for (const button of place.querySelectorAll("button[aria-pressed]")) {
      const pressed = "toggle" in place.dataset ? value === "1" : button.value === value;
      button.setAttribute("aria-pressed", pressed);
      if ("toggle" in place.dataset) button.value = pressed ? "0" : "1";
    }
    const sent = value.split(",");
    for (const box of place.querySelectorAll("[type=checkbox]")) box.checked = sent.includes(box.value);
    for (const [at, list] of place.querySelectorAll("select").entries()) list.value = sent[at] ?? "";
    for (const typed of place.querySelectorAll("input:not([type])")) typed.value = value;
    for (const item of place.querySelectorAll("[data-value]")) item.classList.toggle("own", item.dataset.value === value);
  }
}

export function choose(form, value) {
  own.set(form.dataset.key, value);
  mark(form.parentElement);
}

// What the server has marked for this phone alone.
export function remember(root) {
  for (const { dataset } of root.querySelectorAll("[data-own]")) own.set(dataset.key, dataset.own);
}

// What is chosen or typed in a form of a part, though not yet sent, stands in its new form, too.
function keep(old, part) {
  for (const form of part.querySelectorAll("form[data-key]")) {
    const before = old.querySelector(`form[data-key="${CSS.escape(form.dataset.key)}"]`);
    for (const [at, field] of [...form.elements].entries()) {
      const was = before?.elements[at];
      if (!was || field.matches("button, [type=hidden]")) continue;
      [field.value, field.checked] = [was.value, was.checked];
    }
  }
}

function replace(root, html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const part = holder.content.firstElementChild;
  const old = root.querySelector(`[data-part="${part.dataset.part}"]`);
  if (!old) return;
  mark(part);
  keep(old, part);
  const focus = old.contains(document.activeElement) ? document.activeElement : null;
  const [key, at] = [focus?.form?.dataset.key, [...(focus?.form?.elements ?? [])].indexOf(focus)];
  old.replaceWith(part);
  if (!key) return;
  part.querySelector(`form[data-key="${CSS.escape(key)}"]`)?.elements[at]?.focus();
}

export function follow(root, { onPart = () => {}, onState = () => {} } = {}) {
  let [source, last, over, waiting] = [null, Date.now(), false, 0];
  const heard = () => { last = Date.now(); };

  function connect() {
    clearTimeout(waiting);
    source?.close();
    if (over) return;
    heard();
    source = new EventSource(root.dataset.follow);
    source.onopen = () => { heard(); onState("connected"); };
    source.onmessage = ({ data }) => { heard(); replace(root, data); onPart(); };
    source.addEventListener("beat", heard);
    source.addEventListener("over", () => { over = true; source.close(); onState("over"); });
    source.onerror = () => {
      onState("away");
      // A refusal ends it for good; the browser itself tries again after all else.
      if (source.readyState === EventSource.CLOSED) waiting = setTimeout(connect, AGAIN * (1 + Math.random()));
    };
  }

  const check = (limit) => Date.now() - last > limit && connect();
  setInterval(() => check(SILENT), 5_000);
  addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && check(DOZED));
  connect();
  return () => { over = true; source.close(); };
}
