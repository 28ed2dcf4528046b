// Animate a step: two tiles slide together and become one, or separate again, and their neighbours make room. A tile, or
// half of one, is identified by its row and its offset in it.

const TIME = 420; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

function pieces(root) {
  const tiles = new Map();
  for (const row of root.querySelectorAll(".rows > .row")) {
    const word = [...row.querySelectorAll("b")].map((tile) => tile.textContent).join("");
    for (const piece of row.querySelectorAll("i, b:not(:has(i))")) tiles.set(`${word}\n${piece.dataset.a}`, piece);
  }
  return tiles;
}

export function glide(root, change, { quick = false } = {}) {
  if (quick || still.matches) return change();
  const before = new Map([...pieces(root)].map(([key, piece]) => [key, piece.getBoundingClientRect()]));
  change();
  const moves = [];
  for (const [key, piece] of pieces(root)) {
    const old = before.get(key);
    if (!old) continue;
    const now = piece.getBoundingClientRect();
    const [x, y] = [old.left - now.left, old.top - now.top];
    const joins = piece.localName === "i";
    if (x || y || joins) moves.push([piece, x, y, joins]);
  }
  for (const [piece, x, y, joins] of moves) {
    const tone = joins ? { backgroundColor: getComputedStyle(piece).backgroundColor } : {};
    const done = joins ? { backgroundColor: "transparent" } : {};
    piece.animate(
      [{ transform: `translate(${x}px, ${y}px)`, ...tone }, { transform: "none", ...tone, offset: 0.7 }, { transform: "none", ...done }],
      { duration: TIME, easing: "cubic-bezier(.3, .7, .2, 1)" },
    );
  }
}
