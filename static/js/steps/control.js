// Connect the player to buttons, slider and keys, and to the stage; on the page and in the downloaded file.

import "../presenter/fit.js";
import { passEnd, tellSlide } from "../presenter/events.js";
import { keys } from "../presenter/keys.js";
import { present, presenting } from "../presenter/mode.js";
import { direct } from "../presenter/talk.js";
import { showIds } from "./ids.js";
import { glide } from "./motion.js";
import * as predict from "./predict.js";
import { before, place, reveal, show } from "./stage.js";

const find = (id) => document.getElementById(id); // looked up each time: an edit replaces the stage

export function control(player) {
  const pause = () => Number(find("speed").value);
  let ids = false; // the slide behind the last step is on the stage
  const tell = () => presenting() && player.total && tellSlide({
    at: player.step + 1, total: player.total, title: (document.querySelector(".stage-title") ?? document.querySelector("h1")).textContent, caption: find("caption").textContent.trim(),
  });

  player.addEventListener("shown", ({ detail: { frame, step, from, quick } }) => {
    predict.drop();
    ids = false;
    const asks = find("predict").checked && step === from + 1 && "ask" in frame.dataset && !player.playing;
    const go = () => glide(find("stage"), () => show(frame), { quick: quick || Math.abs(step - from) !== 1 });
    place(step, player.total);
    if (asks && !predict.answered(find("stage"), step)) return void (predict.ask(find("stage"), frame, step, go), tell());
    go();
    predict.shown(find("stage"), step);
    tell();
  });
  player.addEventListener("state", () => {
    find("play").textContent = player.playing ? "Pause" : "Play";
  });

  const turn = async (by, options) => {
    if (by > 0 && predict.held()) return predict.reveal(null);
    if (presenting() && by < 0 && ids) return player.go(player.total - 1);
    if (presenting() && player.step + by === player.total && !ids && (ids = await showIds())) return tell();
    if (presenting() && !player.has(player.step + by)) return passEnd(by);
    return by > 0 ? player.on(options) : player.back(options);
  };
  const preview = async () => {
    const frame = player.has(player.step + 1) && (await player.frame(player.step + 1));
    if (!frame) return null;
    const node = document.querySelector("main").cloneNode(true);
    node.querySelector("#caption").replaceChildren(...frame.querySelector(".caption").cloneNode(true).childNodes);
    node.querySelector("#stage").replaceChildren(...frame.cloneNode(true).children);
    node.querySelector("#stage .caption").remove();
    return { node, rem: 44, top: 0 };
  };
  const moves = {
    first: () => player.go(0),
    back: (options) => turn(-1, options),
    on: (options) => turn(1, options),
    last: () => player.go(player.total - 1),
    play: () => (player.playing ? player.pause() : player.play(pause())),
    present: () => present(),
  };
  keys({
    ArrowRight: moves.on, ArrowLeft: moves.back, PageDown: moves.on, PageUp: moves.back,
    Home: moves.first, End: moves.last, " ": () => (presenting() ? moves.on() : moves.play()), p: moves.present, Escape: () => present(false),
  });
  direct({ turn, go: (to) => player.go(to), word: () => player.nextWord(), preview });
  document.addEventListener("presented", () => (player.pause(), tell())); // only the keys of the lecturer go on
  document.addEventListener("htmx:after:swap", tell);

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-do]");
    const place = event.target.closest("[data-go]");
    if (pressed) event.preventDefault(), moves[pressed.dataset.do]();
    else if (place) event.preventDefault(), player.go(Number(place.dataset.go));
  });
  find("slider").addEventListener("input", () => player.go(Number(find("slider").value), { quick: true }));
  find("speed").addEventListener("change", () => player.playing && player.play(pause()));
  find("both").addEventListener("change", before);
  find("predict").addEventListener("change", () => predict.held() && player.go(player.step));
  document.addEventListener("predicted", () => (reveal(), tell()));
}
