// A vocabulary on request, in one dialog: its licence, one button, the progress. Then every picker of the page has it.

const EVERY = 400; // milliseconds between two looks at a download

const ask = async (path, method = "GET", body = undefined) => {
  const headers = body && { "Content-Type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.detail);
  return told;
};

function fail(dialog, message) {
  const alert = dialog.querySelector("[role=alert]");
  alert.textContent = message || "The server did not answer as expected.";
  alert.hidden = false;
  dialog.querySelector(".request-progress").hidden = true;
  dialog.querySelector(".primary").disabled = false;
}

function show(dialog, { doing, share }) {
  const [bar, line] = dialog.querySelector(".request-progress").children;
  if (share === null || share === undefined) bar.removeAttribute("value");
  else bar.value = share;
  if (line.textContent !== doing) line.textContent = doing ?? "";
}

async function download(dialog, name) {
  dialog.querySelector(".primary").disabled = true;
  dialog.querySelector("[role=alert]").hidden = true;
  dialog.querySelector(".request-progress").hidden = false;
  let job = await ask("/api/fetches", "POST", { name, accept_licence: true });
  dialog.addEventListener("close", () => job.state === "running" && ask(`/api/fetches/${job.id}`, "DELETE"), { once: true });
  while (job.state === "running" && dialog.open) {
    show(dialog, job);
    await new Promise((wake) => setTimeout(wake, EVERY));
    job = await ask(`/api/fetches/${job.id}`);
  }
  if (job.state === "finished") return job.tokenizer;
  if (dialog.open) throw new Error(job.problem?.detail);
  return null;
}

// A row of a picker whose vocabulary was downloaded becomes an ordinary one.
function admit(wanted, id) {
  for (const option of document.querySelectorAll("option[data-add]")) {
    if (option.dataset.id !== wanted) continue;
    const { name } = option.dataset;
    Object.assign(option, { value: id, disabled: false, text: name.toLowerCase() === id ? name : `${name} · ${id}` });
    for (const one of ["add", "todo", "id"]) delete option.dataset[one];
  }
}

// Call `done` once the tokenizer is here.
export async function request(address, done) {
  const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok) return void location.assign(address);
  const dialog = Object.assign(document.createElement("dialog"), { className: "request", innerHTML: await answer.text() });
  dialog.setAttribute("aria-label", dialog.querySelector("h2").textContent);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("[data-close]")) && dialog.close());
  dialog.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const wanted = event.target.elements.name.value;
      const id = await download(dialog, wanted);
      if (!id) return;
      admit(wanted, id);
      dialog.close();
      done();
    } catch (error) {
      fail(dialog, error.message);
    }
  });
  dialog.showModal();
}
