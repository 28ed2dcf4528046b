// The page from which a lecturer leads a hall, beside the slides or on another machine.

import { follow } from "./live.js";
import { send } from "./sending.js";

const root = document.querySelector(".hall-follow");
const said = document.getElementById("said");

localStorage.setItem("tokenarium-hall-lead", root.dataset.code);
follow(root, { onState: (state) => { said.textContent = state === "away" ? "Connecting again …" : ""; } });

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.dataset.key) return;
  event.preventDefault();
  send(form.dataset.key, form.action, new URLSearchParams(new FormData(form, submitter)));
});
