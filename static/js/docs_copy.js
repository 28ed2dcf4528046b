// An address of the contents opens its operation, and a request is copied as a command for a shell.

import { copyText } from "./clipboard.js";

function open() {
  const operation = location.hash && document.querySelector(`details${location.hash}`);
  if (operation) operation.open = true;
}

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function command(form) {
  const path = form.dataset.path.replace(/\{(\w+)(:path)?\}/g, (_, name) => form.elements[name].value);
  const body = form.querySelector("textarea")?.value;
  const sent = body === undefined ? "" : ` -H ${quoted(`Content-Type: ${form.dataset.media}`)} --data-raw ${quoted(body)}`;
  return `curl -sS -X ${form.dataset.method} ${quoted(location.origin + path)}${sent}\n`;
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-curl]")) copyText(command(target.closest("form")), `The request to ${target.closest("form").dataset.path} is copied.`);
});
addEventListener("hashchange", open);
open();
