// The cell under the pointer or the focus lights the same part of the input in every band.

const result = document.getElementById("result");
const said = document.getElementById("lit");
let lit = [];

function overlaps(one, start, end) {
  const [from, to] = [Number(one.dataset.s), Number(one.dataset.e)];
  return from === to || start === end ? from === start && to === end : from < end && start < to;
}

function light(cell) {
  for (const one of lit) one.classList.remove("lit");
  lit = [];
  if (!cell) return;
  const [start, end] = [Number(cell.dataset.s), Number(cell.dataset.e)];
  lit = [...result.querySelectorAll(".system [data-s]")].filter((one) => overlaps(one, start, end));
  for (const one of lit) one.classList.add("lit");
}

const cellOf = (target) => target.closest?.(".system [data-s]");

document.addEventListener("pointerover", ({ target }) => light(cellOf(target) ?? cellOf(document.activeElement)));

// Announce the text of each band for who cannot see it.
document.addEventListener("focusin", ({ target }) => {
  const cell = cellOf(target);
  light(cell);
  if (!cell) return;
  const bands = new Map();
  for (const one of lit) {
    const name = one.closest("tr").querySelector("th").textContent.trim();
    bands.set(name, (bands.get(name) ?? "") + one.textContent.trim());
  }
  said.textContent = [...bands].map(([name, text]) => `${name}: ${text}`).join("; ");
});
// Arrow keys go through the parts of the input, which are one tab stop.
document.addEventListener("keydown", (event) => {
  const piece = event.target.closest?.(".band-input .piece");
  if (!piece) return;
  const pieces = [...result.querySelectorAll(".band-input .piece")];
  const at = pieces.indexOf(piece);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: pieces.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  piece.tabIndex = -1;
  const next = pieces[Math.min(Math.max(to, 0), pieces.length - 1)];
  next.tabIndex = 0;
  next.focus();
});

document.addEventListener("focusout", () => light(null));
document.addEventListener("htmx:after:swap", () => light(null));
