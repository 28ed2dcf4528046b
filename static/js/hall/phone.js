// The page of a hall on a phone: it follows, and votes.

import { choose, follow, remember } from "./live.js";
import { send } from "./sending.js";
import { showTexts } from "./text_slide.js";

const root = document.querySelector(".hall-follow");
const said = document.getElementById("said");
const say = (text) => { said.textContent = text; };
const SAID = { connected: "", away: "Connecting again …", over: "" };
const VOTED = "Your vote counts.";
const SENT = { later: "Sending …", full: "The hall can take no more of these now. Trying again …", refused: "This was not taken: it is no longer open, or no answer." };

remember(root);
let voted = ""; // the question that was answered last

showTexts(root);
follow(root, {
  onPart() {
    showTexts(root);
    if (said.textContent === VOTED && root.querySelector("[data-part=poll]").dataset.poll !== voted) say("");
  },
  onState(state) {
    say(SAID[state]);
    if (state === "over") document.querySelector(".hall-write")?.remove();
  },
});

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (form.method !== "post") return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, submitter));
  const answers = body.getAll("answer");
  if (form.dataset.form && !answers.length) return say("Mark a boundary first.");
  if (form.dataset.key) choose(form, answers.length ? answers.join(",").trim().replace(/\s+/g, " ") : submitter.value);
  const state = await send(form.dataset.key ?? form.action, form.action, body, (state) => say(SENT[state] ?? ""));
  if (state !== "taken") return;
  if (form.dataset.key?.startsWith("poll:")) voted = form.dataset.key.slice(5), say(VOTED);
  else say("Sent.");
  if ("once" in form.dataset) form.reset();
});

// Whoever steps by himself finds the way back on each page (see rejoin.js).
document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-leave]")) sessionStorage.setItem("tokenarium-hall", root.dataset.code);
});
sessionStorage.removeItem("tokenarium-hall");
