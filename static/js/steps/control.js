// Connect the player to buttons, slider and keys, and to the stage; on the page and in the downloaded file.

export function control({ player, show, before, place, glide, keys, present, fit, predict }) {
  const find = (id) => document.getElementById(id); // looked up each time: an edit replaces the stage
  const pause = () => Number(find("speed").value);

  player.addEventListener("shown", ({ detail: { frame, step, from, quick } }) => {
    predict.drop();
    const asks = find("predict").checked && step === from + 1 && "ask" in frame.dataset && !player.playing;
    const go = () => glide(find("stage"), () => { show(frame); fit(); }, { quick: quick || Math.abs(step - from) !== 1 });
    place(step, player.total);
    if (asks && !predict.answered(find("stage"), step)) return void (predict.ask(find("stage"), frame, step, go), fit());
    go();
    predict.shown(find("stage"), step);
  });
  player.addEventListener("state", () => {
    find("play").textContent = player.playing ? "Pause" : "Play";
  });

  const on = (options) => (predict.held() ? predict.reveal(null) : player.on(options));
  const moves = {
    first: () => player.go(0),
    back: (options) => player.back(options),
    on,
    last: () => player.go(player.total - 1),
    play: () => (player.playing ? player.pause() : player.play(pause())),
    present: () => present(),
  };
  keys({
    ArrowRight: moves.on, ArrowLeft: moves.back, PageDown: moves.on, PageUp: moves.back,
    Home: moves.first, End: moves.last, " ": moves.play, p: moves.present, Escape: () => present(false),
  });

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-do]");
    const place = event.target.closest("[data-go]");
    if (pressed) event.preventDefault(), moves[pressed.dataset.do]();
    else if (place) event.preventDefault(), player.go(Number(place.dataset.go));
  });
  find("slider").addEventListener("input", () => player.go(Number(find("slider").value), { quick: true }));
  find("speed").addEventListener("change", () => player.playing && player.play(pause()));
  find("both").addEventListener("change", before);
  document.addEventListener("predicted", () => fit());
}
