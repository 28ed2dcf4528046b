// Send a form of /docs to the route it describes, and show the response.
const MAX_SHOWN = 20_000;

function address(form) {
  const query = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...query]) if (!name || !value) query.delete(name);
  const path = form.dataset.path.replace(/\{(\w+)(:path)?\}/g, (_, name) => {
    query.delete(name);
    return form.elements[name].value.split("/").map(encodeURIComponent).join("/");
  });
  return query.size ? `${path}?${query}` : path;
}

const shown = (text) => {
  try {
    text = JSON.stringify(JSON.parse(text), null, 1).replace(/\n +(?=-?\d)|(?<=\d)\n +(?=\])/g, " ");
  } catch { /* not JSON: shown unchanged */ }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length.toLocaleString("en")} characters)` : text;
};

async function send(form) {
  const body = form.querySelector("textarea")?.value;
  const headers = body === undefined ? {} : { "Content-Type": form.dataset.media };
  const answer = await fetch(address(form), { method: form.dataset.method, headers, body });
  const reply = document.createElement("pre");
  reply.tabIndex = 0;
  reply.textContent = `${answer.status} ${answer.statusText}\n${shown(await answer.text())}`;
  form.parentElement.querySelector(".reply").replaceChildren(reply);
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.try");
  if (!form) return;
  event.preventDefault();
  send(form).catch(() => {
    form.parentElement.querySelector(".reply").textContent = "The server did not respond.";
  });
});
