// What a slide shows, as data within the bounds of the server (app/web/hall_slides.py): the tokens of its rows with their
// labels and colours, its tables, its figures as plain paths, its sentences, and its number.

const [MAX_TOKENS, MAX_CELLS, MAX_PATHS] = [600, 600, 40_000];
const OTHERS = "table, svg, [data-question], .rows, .evidence, .learned, .text, dl, p.caption, .player, .deck-foot, .learn-motto, .learn-code, .learn-equation, script, style, template";
const words = (one, most = 300) => (one?.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, most);
const within = (number) => Math.max(-1e5, Math.min(1e5, Math.round(100 * number) / 100 || 0));

// What is not in the window, such as the next slide, has no boxes: all of it is seen.
function isSeen(one) {
  if (!one.isConnected || !one.ownerDocument.defaultView) return !one.closest("[hidden]");
  const clip = one.closest(".slide")?.getBoundingClientRect();
  const box = one.getBoundingClientRect();
  return one.checkVisibility({ visibilityProperty: true }) && !(clip && (box.bottom <= clip.top || box.top >= clip.bottom));
}

const all = (box, selector) => [...box.querySelectorAll(selector)].filter(isSeen);
const toneOf = (one) => Number(/(?:^|\s)t([0-8])(?:\s|$)/.exec(one.getAttribute("class"))?.[1] ?? NaN);
const tone = (one) => (Number.isNaN(toneOf(one)) ? null : toneOf(one));

// A half of a merged token has "##" in an <s> that is not seen.
function spellingOf(one) {
  const copy = one.cloneNode(true);
  for (const out of copy.querySelectorAll("i > s")) out.remove();
  return copy.textContent;
}

function tokenOf(one) {
  const mark = ["new", "rest"].find((name) => one.classList.contains(name)) ?? "";
  return { text: (one.dataset.text ?? spellingOf(one)).slice(0, 200), id: /^\d{1,15}$/.test(one.dataset.id) ? Number(one.dataset.id) : null, tone: tone(one), mark };
}

// A choice of a question as the words and tokens that it has on the stage; nothing without tokens.
export const piecesOf = (choice) => [...choice.childNodes].filter((one) => one.textContent).slice(0, 40).map((one) => (one.localName === "b" ? tokenOf(one) : { text: one.textContent.replace(/\s+/g, " ").slice(0, 200) }));

// Rows that share columns stand in stacks, after one with their labels.
function stacksOf(box) {
  const [labels, ...columns] = box.querySelectorAll(".stacked > .row");
  return [...labels.children].map((label, at) => ({ label: words(label, 100), tokens: columns.flatMap((one) => [...one.children[at].querySelectorAll("b")]) }));
}

const LABELS = ":is(.times, .out, .quiet)";
const joined = (ones) => ones.map((one) => words(one, 100)).join(" ").slice(0, 100);

function rowsOf(box) {
  const plain = all(box, ".row:not(.stacked > *, table *), .rows > p, .learned, .text").map((row) => ({
    label: joined(row.localName === "p" && !row.querySelector("b") ? [row] : all(row, `:scope > ${LABELS}:not(b ~ *)`)),
    after: joined(all(row, `:scope > b ~ ${LABELS}`)),
    tokens: [...row.querySelectorAll(row.matches(".text") ? ".tok" : "b")],
  }));
  let left = MAX_TOKENS;
  return [...all(box, ".stacks").flatMap((one) => stacksOf(one)), ...plain].filter(({ label, tokens }) => label || tokens.length).slice(0, 40).map(({ label, after = "", tokens }) => {
    const kept = tokens.slice(0, left).map(tokenOf);
    left -= kept.length;
    return { label, after, tokens: kept };
  });
}

// Tiles that stand beside each other are words of a cell.
const cellOf = (one) => (one.querySelector("b") ? [...one.childNodes].map((part) => part.textContent.trim()).filter(Boolean).join(" ").slice(0, 300) : words(one));
const markOf = (row) => (row.matches(".won, .chosen, .lit") ? "chosen" : row.matches(".struck, .gone") || row.querySelector("del, s") ? "struck" : "");

function tablesOf(box) {
  let left = MAX_CELLS;
  const rowOf = (row, cells) => {
    const kept = [...cells].slice(0, Math.min(12, left)).map(cellOf);
    left -= kept.length;
    return { cells: kept, mark: markOf(row) };
  };
  const tables = all(box, "table").map((table) => {
    const rows = [...table.rows].filter((row) => !row.closest("thead") && isSeen(row)).slice(0, 59).map((row) => rowOf(row, row.cells));
    if (table.nextElementSibling?.matches("p.quiet")) rows.push({ cells: [words(table.nextElementSibling)], mark: "" }); // how many are left out
    return { title: words(table.caption), heads: [...(table.tHead?.rows[0]?.cells ?? [])].slice(0, 12).map((one) => words(one, 100)), rows };
  });
  const facts = all(box, "dl").map((list) => ({ title: "", heads: [], rows: all(list, "div").slice(0, 60).map((row) => rowOf(row, row.children)) }));
  return [...tables, ...facts].filter(({ rows }) => rows.some(({ cells }) => cells.length)).slice(0, 6);
}

const number = (one, name) => Number(one.getAttribute(name)) || 0;
const PATHS = {
  path: (one) => one.getAttribute("d"),
  rect: (one) => `M${number(one, "x")} ${number(one, "y")}h${number(one, "width")}v${number(one, "height")}h${-number(one, "width")}z`,
  line: (one) => `M${number(one, "x1")} ${number(one, "y1")}L${number(one, "x2")} ${number(one, "y2")}`,
  circle: (one) => { const r = number(one, "r"); return `M${number(one, "cx") - r} ${number(one, "cy")}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`; },
  polyline: (one) => `M${one.getAttribute("points").trim()}`,
  polygon: (one) => `M${one.getAttribute("points").trim()}z`,
};

function labelOf(one) {
  const style = one.isConnected ? getComputedStyle(one) : null;
  const anchor = style?.textAnchor ?? one.getAttribute("text-anchor");
  return { x: within(number(one, "x")), y: within(number(one, "y")), text: words(one, 100), size: within(parseFloat(style?.fontSize) || 14), anchor: ["middle", "end"].includes(anchor) ? anchor : "start" };
}

// A figure, or null if it is more than paths and labels, or too much for a phone.
function figureOf(svg) {
  const { x, y, width, height } = svg.viewBox.baseVal ?? {};
  const shapes = all(svg, Object.keys(PATHS).join()).map((one) => ({ d: PATHS[one.localName](one), tone: tone(one), strong: one.matches(".best, .bold, .new, .won") }));
  const labels = all(svg, "text").map(labelOf);
  const size = shapes.reduce((sum, { d }) => sum + d.length, 0);
  const plain = width && !svg.querySelector("image, use, foreignObject, [transform]");
  return plain && size <= MAX_PATHS && shapes.length <= 600 && labels.length <= 300 ? { box: [x, y, width, height].map(within), shapes, labels } : null;
}

// `canvas` is a deck, or a page that is a stage. A text slide is its Markdown, and a picture that is no address.
export function readPicture(canvas) {
  const box = canvas.querySelector(".slide, [data-fit]") ?? canvas;
  const named = {
    title: words(canvas.querySelector(".deck-title, .stage-title") ?? canvas.querySelector("h1")), caption: words(canvas.querySelector("p.caption, .deck-note"), 2000),
    place: words(all(canvas, ".deck-place, .counter")[0], 100),
  };
  const { markdown } = box.querySelector("[data-markdown]")?.dataset ?? {};
  if (markdown) return { ...named, markdown, more: Boolean(box.querySelector("img[src^='data:']")) };
  const svgs = all(box, "svg:not(.icon, .basis-icon, .row *)").filter((one) => !one.isConnected || (one.clientWidth > 60 && one.clientHeight > 40));
  const figures = svgs.map(figureOf);
  const kept = figures.filter(Boolean).slice(0, 3);
  const paths = kept.reduce((sum, { shapes }) => sum + shapes.reduce((size, { d }) => size + d.length, 0), 0);
  const texts = all(box, "p, li, h3, h4, pre, blockquote, legend, .tick").filter((one) => !one.closest(OTHERS) && !one.parentElement.closest("p, li, pre, blockquote"));
  const shown = {
    ...named, texts: texts.map((one) => words(one, 2000)).filter(Boolean).slice(0, 40),
    rows: rowsOf(box), tables: tablesOf(box), figures: paths <= MAX_PATHS ? kept : [], more: box.isConnected && all(box, "canvas, img, .learn-code").length > 0,
  };
  shown.more ||= shown.figures.length < svgs.length;
  return shown;
}

// The question that stands on a slide, "" if none does.
export const questionOn = (canvas) => all(canvas, "[data-question]")[0]?.dataset.question ?? "";
