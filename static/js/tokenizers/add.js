// Add a tokenizer: files that are chosen at the control of a picker, or dropped anywhere on the page, are sent at once.
// What was added is chosen in the picker of the page; a page without one shows where it is listed.

import { onDrop } from "../drop.js";
import { choose } from "./choice.js";
import { areTokenizer, shortened } from "./content.js";

const box = () => document.querySelector("[data-adding]");

function show(text, share, role = "status") {
  box().hidden = false;
  const fold = box().closest("details");
  if (fold) fold.open = true;
  const [bar, line] = box().children;
  bar.hidden = share === null;
  if (share === undefined) bar.removeAttribute("value");
  else if (share !== null) bar.value = share;
  line.setAttribute("role", role);
  line.textContent = text;
}

function post(data, progressed) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/tokenizers");
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => progressed(loaded / total);
    request.onload = () => (request.status === 201 ? resolve(request.response) : reject(request.response?.detail));
    request.onerror = () => reject("The server cannot be reached.");
    request.send(data);
  });
}

function added({ id, title, place }, data) {
  if (!choose(id, title)) return void location.assign(place);
  const link = Object.assign(document.createElement("a"), { href: place, textContent: "What was found in its files" });
  const forAnHour = data.get("keep") === "0";
  show(`Added ${title}${forAnHour ? ", for an hour and for this browser only" : ""}. `, null);
  box().lastElementChild.append(link);
  if (!forAnHour || !("maySave" in document.body.dataset)) return;
  const save = Object.assign(document.createElement("button"), { type: "button", className: "press", textContent: "Save it on this server" });
  save.addEventListener("click", () => {
    data.set("keep", "1");
    send(data);
  });
  box().lastElementChild.append(" ", save);
}

async function send(data) {
  data.set("script", "1");
  if (!data.has("back")) data.set("back", location.pathname);
  show("Sending …", 0);
  const progressed = (share) => (share < 1 ? show("Sending …", share) : show("Reading the files …"));
  try {
    added(await post(data, progressed), data);
  } catch (problem) {
    show(problem ?? "The server did not answer as expected.", null, "alert");
  }
}

async function add(files) {
  const data = new FormData();
  for (const file of files) data.append("file", await shortened(file), file.webkitRelativePath || file.name);
  data.set("keep", "0"); // it is private unless one chooses to save it
  send(data);
}

onDrop(add, areTokenizer);

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-own]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.addEventListener("change", () => add(input.files));
  input.click();
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== "add") return;
  event.preventDefault();
  send(new FormData(event.target));
});
