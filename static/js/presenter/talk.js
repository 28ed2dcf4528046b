// Who turns the slides of this page: the deck, or the stage of Steps or of a scene.

let director = {};

// `turn(by)` goes one slide on or back, `go(at)` to a slide, counted from 1, `word()` to the next word; `preview()` returns
// the canvas of the next slide, as { node, rem, top }.
export function direct(one) {
  director = one;
}

export const talk = {
  turn: (by) => director.turn?.(by),
  go: (at) => director.go?.(at),
  word: () => director.word?.() ?? false,
  preview: async () => (await director.preview?.()) ?? null,
};
