// H, while a page is presented, opens a hall or shows and hides its door. What is on the screen is noted from the start,
// so that a hall that is opened later shows it; the rest is loaded with the first hall.

import { frame } from "../presenter/framed.js";
import { keys } from "../presenter/keys.js";
import { presenting } from "../presenter/mode.js";

const KEY = "tokenarium-hall-lead";
const stage = new Map(); // the last event of each kind
let leader = null;

function note({ type, detail }) {
  if (type === "asked") stage.delete("revealed");
  if (type === "slide" && stage.delete("revealed")) stage.delete("asked"); // what is over is no question of a later hall
  stage.set(type, detail);
  leader?.then(({ tell }) => tell(type, detail));
}
for (const kind of ["slide", "asked", "revealed"]) document.addEventListener(kind, note);

function lead(open) {
  leader ??= import("./leader.js").then((module) => {
    module.begin({ key: KEY, stage });
    return module;
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
document.addEventListener("presented", () => presenting() && !frame && localStorage.getItem(KEY) && lead(false));
