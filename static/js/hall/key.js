// H, while a page is presented, opens a hall or shows and hides its door. What is on the screen is noted from the start,
// so that a hall that is opened later shows it; the rest is loaded with the first hall.

import { frame } from "../presenter/framed.js";
import { keys } from "../presenter/keys.js";
import { presenting } from "../presenter/mode.js";
import { presented } from "../presenter/speaker.js";

const KEY = "tokenarium-hall-lead";
const stage = new Map(); // the last event of each kind
let [leader, led] = [null, null];

function note({ type, detail }) {
  if (type === "asked") stage.delete("revealed");
  stage.delete(type); // the latest is the last
  stage.set(type, detail);
  leader?.then(({ tell }) => tell(type, detail));
}
for (const kind of ["slide", "asked", "revealed"]) document.addEventListener(kind, note);

function lead(open) {
  leader ??= import("./leader.js").then((module) => {
    module.begin({ key: KEY, stage, presented });
    return (led = module);
  });
  leader.then(({ enter }) => enter({ open }));
}

keys({
  h() {
    if (!presenting()) return false;
    lead(true);
    return true;
  },
});
// What covers the stage takes the keys first, also those of a page that a lecture shows in a frame.
document.addEventListener("hall:key", (event) => led?.takes(event.detail) && event.preventDefault());
addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, select, textarea")) return;
  const asked = new CustomEvent("hall:key", { detail: event.key, cancelable: true });
  if (!(frame ? parent : window).document.dispatchEvent(asked)) event.preventDefault(), event.stopImmediatePropagation();
}, { capture: true });
document.addEventListener("presented", () => presenting() && !frame && localStorage.getItem(KEY) && lead(false));
