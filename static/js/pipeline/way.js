// The way of a piece through the stages, as a line below the bands: what each stage has of it, and the ids at the end.

function make(name, className, ...content) {
  const element = Object.assign(document.createElement(name), { className });
  element.append(...content);
  return element;
}

const textOf = (piece) => piece.firstChild.textContent;
const idsOf = (cells) => cells.flatMap((cell) => [...cell.querySelectorAll("small")]).map(({ textContent }) => textContent);

function step(row, cells) {
  const name = row.querySelector(".type")?.textContent || row.querySelector(".stage").textContent;
  const pieces = cells.flatMap((cell) => [...cell.querySelectorAll(".piece")]);
  const shown = pieces.length ? pieces.map((piece) => make("bdi", piece.className, textOf(piece))) : ["removed"];
  return make("li", "", make("span", "what", name), make("span", "pieces", ...shown));
}

export function showWay(result, place, lit) {
  const way = result.querySelector(".way");
  if (!way) return;
  const { s, e } = place.dataset;
  const span = s === e ? "Not in the input" : Number(e) - Number(s) === 1 ? `Character ${s}` : `Characters ${s} to ${e}`;
  const rows = [...new Set(lit.map((cell) => cell.closest("tr")))];
  const items = rows.map((row) => step(row, lit.filter((cell) => cell.closest("tr") === row)));
  const ids = idsOf(lit);
  if (ids.length) items.push(make("li", "", make("span", "what", ids.length > 1 ? "ids" : "id"), make("span", "pieces", ids.join(" "))));
  way.replaceChildren(make("p", "", span), make("ol", "", ...items));
}
