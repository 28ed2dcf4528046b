// Markdown of a text slide as elements. HTML in it stays text. Formulas are TeX in $…$ or $$…$$, the picture of the item is
// ![what it shows](picture), and a list of boxes is a poll: "- [ ]" a choice, "- [x]" the right one, if there is one.

const KATEX = "/static/vendor/katex-0.19.1/katex.min";
const BOX = /^\s*\[([ xX])\]\s+/;
const MOST = 4_000; // characters of the formulas of a slide, of which KaTeX makes up to ten elements each
const EACH = 10; // for which each formula counts besides
const DEEP = `${"* > ".repeat(250)}*`; // so deep a formula, of 35 fractions in each other; far deeper ones end the tab
const LARGEST = 50; // of the sizes in a formula, in em
let parser = null;

const element = (name, properties) => Object.assign(document.createElement(name), properties);

// A price such as $5 is none: a formula neither begins nor ends with a space, and no digit follows it.
function readFormula(state, silent) {
  const found = /^\$\$([^$]+)\$\$|^\$(?!\s)((?:\\.|[^$\\])+?)(?<!\s)\$(?!\d)/s.exec(state.src.slice(state.pos));
  if (!found) return false;
  if (!silent) Object.assign(state.push("formula", "", 0), { content: found[1] ?? found[2], block: found[1] !== undefined });
  state.pos += found[0].length;
  return true;
}

async function load() {
  const { default: markdown } = await import("/static/vendor/markdown-it-15.0.3.esm.min.mjs");
  parser = markdown({ breaks: true });
  parser.inline.ruler.after("escape", "formula", readFormula);
  parser.renderer.rules.formula = ([...tokens], at) => `<span class="formula${tokens[at].block ? " block" : ""}">${parser.utils.escapeHtml(tokens[at].content)}</span>`;
}

async function loadKatex() {
  if (window.katex) return;
  document.head.append(element("link", { rel: "stylesheet", href: `${KATEX}.css` }));
  await import("/static/vendor/katex-0.19.1/katex.min.js");
}

function drawOne(tex, place, left) {
  if (left < 0) throw new Error("This slide has too many or too long formulas.");
  window.katex.render(tex, place, { displayMode: place.matches(".block"), maxSize: LARGEST });
  if (place.querySelector(DEEP)) throw new Error("The formula has too many parts in each other.");
}

// A mistake in a formula is said beside it; the other formulas are drawn.
async function draw(formulas) {
  if (formulas.length) await loadKatex();
  let left = MOST;
  for (const one of formulas) {
    const tex = one.textContent; // of which KaTeX clears the place
    left -= tex.length + EACH;
    try {
      drawOne(tex, one, left);
    } catch ({ message }) {
      one.replaceChildren(element("code", { textContent: tex }), element("span", { className: "fault", textContent: ` ${message}` }));
    }
  }
}

// The slide has the picture of its item and those of this site; others are links. On a phone, `picture` is null: it is on
// the screen alone.
function place(image, picture) {
  const source = image.getAttribute("src");
  if (source === "picture" && picture) image.src = picture;
  else if (!/^\/(?!\/)/.test(source)) image.replaceWith(source === "picture" ? `(${picture === null ? "" : "no "}picture: ${image.alt})` : element("a", { href: source, textContent: image.alt || source }));
}

// The node with which an item of a list, or its first paragraph, begins.
function beginOf(item) {
  let node = item.firstChild;
  while (node?.data?.trim() === "") node = node.nextSibling;
  return node?.localName === "p" ? node.firstChild : node;
}

// A list of boxes as choices; the number of the right one, from 0, is in data-right, where there is one.
function makePoll(list) {
  const items = [...list.children];
  const boxes = items.map((item) => BOX.exec(beginOf(item)?.data ?? "")?.[1]);
  if (list.localName !== "ul" || boxes.includes(undefined)) return;
  const poll = element("fieldset", { className: "poll predict" });
  const right = boxes.findIndex((box) => box !== " ");
  if (right >= 0) poll.dataset.right = right;
  for (const item of items) {
    const begin = beginOf(item);
    begin.data = begin.data.replace(BOX, "");
    const choice = element("p", { className: "choice guess" });
    choice.dataset.text = item.textContent.trim().replace(/\s+/g, " "); // in which a formula is TeX
    choice.append(...item.childNodes);
    poll.append(choice);
  }
  list.replaceWith(poll);
}

// The elements of a slide below its title.
export async function slideOf({ text, picture }) {
  if (!parser) await load();
  const { content } = element("template", { innerHTML: parser.render(text) });
  for (const image of content.querySelectorAll("img")) place(image, picture);
  for (const list of content.querySelectorAll("ul")) makePoll(list);
  for (const link of content.querySelectorAll("a")) Object.assign(link, { target: "_blank", rel: "noopener" });
  await draw(content.querySelectorAll(".formula"));
  return content;
}
