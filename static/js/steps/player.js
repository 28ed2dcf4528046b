// The player of a run: the current step, forward and back, playing. `load` fetches frames, thirty-two at a time, ahead of
// the current step; listeners of "shown" display them.

const WINDOW = 32;
const NEAR = 12; // steps from the edge of a window at which its neighbour is loaded

export class Player extends EventTarget {
  #load;
  #frames = new Map(); // step -> section
  #windows = new Map(); // window -> promise
  #timer = 0;
  #shown = 0;
  total = 0;
  step = 0;

  constructor(load) {
    super();
    this.#load = load;
  }

  begin(total, step) {
    this.pause();
    [this.#frames, this.#windows] = [new Map(), new Map()];
    [this.total, this.step, this.#shown] = [total, step, step];
    this.#ahead();
  }

  get playing() {
    return this.#timer !== 0;
  }

  async go(step, { quick = false } = {}) {
    if (!this.total) return;
    this.step = Math.min(Math.max(step, 0), this.total - 1);
    const [wanted, frames] = [this.step, this.#frames];
    const frame = await this.frame(wanted);
    if (this.step !== wanted || this.#frames !== frames) return;
    if (!frame) return void this.#stay();
    const from = this.#shown;
    this.#shown = wanted;
    this.#ahead();
    this.dispatchEvent(new CustomEvent("shown", { detail: { frame, step: wanted, from, quick } }));
    if (wanted === this.total - 1) this.pause();
  }

  // A frame that cannot be fetched leaves the one that is shown.
  #stay() {
    this.pause();
    this.step = this.#shown;
    this.dispatchEvent(new Event("failed"));
  }

  // Go to the first step of the next word.
  async nextWord() {
    const word = async (step) => (await this.frame(step))?.querySelector(".around .new")?.dataset.a;
    const current = await word(this.step);
    if (current === undefined) return;
    for (let step = this.step + 1; step < this.total; step++) if (await word(step) !== current) return void this.go(step);
  }

  has(step) {
    return step >= 0 && step < this.total;
  }

  // The frame of a step, without going there.
  async frame(step) {
    if (!this.#frames.has(step)) await this.#window(Math.floor(step / WINDOW));
    return this.#frames.get(step);
  }

  on(options) { return this.go(this.step + 1, options); }
  back(options) { return this.go(this.step - 1, options); }

  play(pause) {
    if (!this.total) return;
    if (this.step === this.total - 1) this.go(0);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.on({ quick: pause < 400 }), pause);
    this.dispatchEvent(new Event("state"));
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.dispatchEvent(new Event("state"));
  }

  #ahead() {
    const at = Math.floor(this.step / WINDOW);
    this.#window(at);
    if (this.step % WINDOW >= WINDOW - NEAR) this.#window(at + 1);
    if (this.step % WINDOW < NEAR) this.#window(at - 1);
  }

  #window(n) {
    if (n < 0 || n * WINDOW >= this.total) return undefined;
    if (!this.#windows.has(n)) {
      const [frames, windows] = [this.#frames, this.#windows]; // a run that begins anew has others
      windows.set(n, this.#load(n * WINDOW).then((loaded) => {
        for (const frame of loaded) frames.set(Number(frame.dataset.step), frame);
      }).catch(() => windows.delete(n)));
    }
    return this.#windows.get(n);
  }
}
