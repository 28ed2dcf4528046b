// A sound of the user's: dropped, or recorded. A recording stays here until it is sent by its own button.

import { onDrop } from "../drop.js";
import { toWav } from "./wav.js";

const LONGEST = 10_000; // milliseconds
const field = document.getElementById("own");
const [record, send] = ["record", "send"].map((id) => document.getElementById(id));
const say = (words) => (document.getElementById("said").textContent = words);
let [recorder, recorded, timer] = [];

function choose(file) {
  const one = new DataTransfer();
  one.items.add(file);
  field.files = one.files;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

async function stopped(parts) {
  record.setAttribute("aria-pressed", "false");
  record.textContent = "Record again";
  try {
    const { file, seconds } = await toWav(await new Blob(parts).arrayBuffer(), "recording.wav");
    recorded = file;
    send.hidden = false;
    say(`${seconds.toFixed(1)} seconds are recorded, in this browser only.`);
  } catch {
    say("The recording could not be read.");
  }
}

async function start() {
  const parts = [];
  const heard = await navigator.mediaDevices.getUserMedia({ audio: true });
  recorder = new MediaRecorder(heard);
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  recorder.addEventListener("stop", () => {
    clearTimeout(timer);
    for (const track of heard.getTracks()) track.stop();
    stopped(parts);
  });
  recorder.start();
  timer = setTimeout(() => recorder.stop(), LONGEST - 200);
  record.setAttribute("aria-pressed", "true");
  record.textContent = "Stop";
  say("Listening.");
}

record.addEventListener("click", () => {
  if (recorder?.state === "recording") recorder.stop();
  else start().catch(() => say("The browser does not give a microphone to this page."));
});
send.addEventListener("click", () => choose(recorded));
record.parentElement.hidden = !navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder;
onDrop((files) => choose(files[0]));
