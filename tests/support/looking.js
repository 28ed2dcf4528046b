/* What a person would see of a page that is wrong, as sentences. */

async () => {
  await document.fonts.ready;
  await new Promise((laid) => requestAnimationFrame(() => requestAnimationFrame(laid)));
  const found = new Set();
  const pen = document.createElement("canvas").getContext("2d");
  const styles = new Map();
  const style = (one) => styles.get(one) ?? styles.set(one, getComputedStyle(one)).get(one);
  const called = (one) => one.tagName.toLowerCase() + [...one.classList].map((word) => `.${word}`).join("");
  const say = (one, words, text = one.textContent) =>
    found.add(`${called(one)} ${JSON.stringify(text.trim().slice(0, 30))} ${words}`);
  const rects = (one) => [...one.getClientRects()].filter((box) => box.width && box.height);
  const middle = (box) => (box.top + box.bottom) / 2;
  const holds = (outer, box, slack) => box.left >= outer.left - slack && box.right <= outer.right + slack
    && box.top >= outer.top - slack && box.bottom <= outer.bottom + slack;
  const cross = (one, other, slack) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
  const shown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !one.matches("details:not([open])");
  const range = (node, from, to) => {
    const one = new Range();
    one.setStart(node, from);
    one.setEnd(node, to);
    return one;
  };
  const nodes = (root) => {
    const [all, walk] = [[], document.createTreeWalker(root, NodeFilter.SHOW_TEXT)];
    while (walk.nextNode()) if (shown(walk.currentNode.parentElement)) all.push(walk.currentNode);
    return all;
  };
  const measure = (owner, text) => {
    const { fontStyle, fontWeight, fontSize, fontFamily } = style(owner);
    const font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    if (pen.last !== font) pen.font = pen.last = font;
    return pen.measureText(text);
  };

  // A line of the text is a line of the picture, unless it is wider than the box; a gap is as wide as its text.
  const CELLS = ".tok:not(.part), .gap, .split";
  const readLines = (text) => {
    const letters = [];
    for (const node of nodes(text)) {
      const cell = node.parentElement.closest(CELLS);
      if (!cell || node.parentElement.closest(".parts, .chip, .cr")) continue;
      for (let at = 0; at < node.length; at++) {
        const box = [...range(node, at, at + 1).getClientRects()].at(-1);
        if (box) letters.push({ letter: node.data[at], cell, box });
      }
    }
    const end = text.getBoundingClientRect().left + text.clientLeft + text.clientWidth - parseFloat(style(text).paddingRight);
    for (let i = 1; i < letters.length; i++) {
      const [before, { cell, box }] = [letters[i - 1], letters[i]];
      const below = middle(box) - middle(before.box) > before.box.height / 2;
      const free = end - before.box.right;
      let last = i;
      const whole = cell.matches(".unbroken"); // its leading space stays with the word
      while ((whole || letters[last].letter !== " ") && letters[last + 1]?.cell === cell) last++;
      if (letters[last + 1]?.letter === " ") last++; // no line begins with it
      const width = cell.matches(".split") ? cell.getBoundingClientRect().width : letters[last].box.right - box.left;
      if (before.letter === "\n" && !below) say(cell, "is beside the line before it");
      if (before.letter !== "\n" && below && width < free - 12) say(cell, `begins a line, though ${Math.round(free)} px are free`);
    }
  };
  const measureGap = (gap) => {
    const size = parseFloat(style(gap).fontSize);
    const text = measure(gap, gap.textContent.replaceAll("\n", "").replaceAll("\t", "    ")).width;
    const marks = size * gap.textContent.match(/\s/g)?.length || 0; // of white space, where it is marked
    const width = rects(gap).reduce((sum, box) => sum + box.width, 0);
    if (width > text + marks + 4) say(gap, `is ${Math.round(width)} px wide, its text ${Math.round(text)}`);
    if (rects(gap).some((box) => box.height > 2 * size)) say(gap, "is higher than a line");
  };

  // Each text with what of it is in view now, and the painted box that holds it. Lines that are close have boxes that
  // overlap: what counts is the ink.
  const nothing = ["rgba(0, 0, 0, 0)", style(document.body).backgroundColor, "none", "0px"];
  const paints = (one) => ["backgroundColor", "backgroundImage", "boxShadow", "borderTopWidth", "borderLeftWidth"]
    .some((name) => !nothing.includes(style(one)[name]));
  const clip = (box, one) => {
    for (; one !== document.body; one = one.parentElement) {
      if (style(one).overflow === "visible") continue;
      const frame = one.getBoundingClientRect();
      const [left, top] = [Math.max(box.left, frame.left), Math.max(box.top, frame.top)];
      box = new DOMRect(left, top, Math.min(box.right, frame.right) - left, Math.min(box.bottom, frame.bottom) - top);
    }
    return box;
  };
  const scrolls = (one) => /auto|scroll/.test(style(one).overflow);
  const read = (node) => {
    const owner = node.parentElement;
    const line = range(node, node.data.search(/\S/), node.data.trimEnd().length);
    const all = rects(line);
    const { fontBoundingBoxAscent: rise, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = measure(owner, node.data.trim());
    let boxes = all.filter((box) => box.right > 0);
    let [pinned, holder] = [false, null];
    for (let one = owner; one !== document.documentElement; one = one.parentElement) {
      const { clipPath, position, overflow, display, textOverflow } = style(one);
      if (clipPath !== "none") boxes = [];
      pinned ||= /sticky|fixed/.test(position);
      if (!holder && paints(one)) holder = one;
      if (overflow === "visible" || display === "inline" || one === document.body) continue;
      const frame = one.getBoundingClientRect();
      if (scrolls(one)) boxes = boxes.filter((box) => holds(frame, box, 1));
      else if (textOverflow !== "ellipsis" && !boxes.every((box) => holds(frame, box, 2))) say(owner, `is cut off by ${called(one)}`, node.data);
    }
    const first = all.indexOf(boxes[0]);
    const inks = boxes.map((box) => new DOMRect(box.left, box.top + rise - up, box.width, Math.max(up + down, 0)));
    return { node, owner, pinned, holder, inks, now: () => rects(line)[first] };
  };
  const texts = nodes(document.body).filter((node) => node.data.trim()).map(read).filter((one) => one.inks.length);
  const apart = (all, slack) => {
    const flat = all.flatMap((one) => one.boxes.map((box) => ({ ...one, box }))).sort((a, b) => a.box.top - b.box.top);
    flat.forEach((one, i) => {
      for (let j = i + 1; j < flat.length && flat[j].box.top < one.box.bottom; j++) {
        const other = flat[j];
        if (one.pinned === other.pinned && !one.node.contains(other.node) && !other.node.contains(one.node) && cross(one.box, other.box, slack))
          say(one.owner, `and ${called(other.owner)} ${JSON.stringify(other.node.textContent.trim().slice(0, 30))} overlap`, one.node.textContent);
      }
    });
  };
  const inView = () => {
    const left = new Map(texts.map((one) => [one, "is never in view"]));
    const start = scrollY;
    for (let top = 0; left.size; top += innerHeight / 2) {
      scrollTo(0, top);
      for (const one of left.keys()) {
        const box = one.now();
        const over = document.elementsFromPoint((box.left + box.right) / 2, middle(box)).find((other) => style(other).opacity !== "0");
        if (!over) continue;
        left.set(one, `is covered by ${called(over)}`);
        if (over.contains(one.owner) || one.owner.contains(over)) left.delete(one);
      }
      if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) break;
    }
    scrollTo(0, start);
    for (const [one, words] of left) say(one.owner, words, one.node.data);
  };

  for (const text of document.querySelectorAll(".text")) if (shown(text)) readLines(text);
  for (const gap of document.querySelectorAll(".text .gap")) if (shown(gap)) measureGap(gap);
  const holders = new Map();
  for (const { node, holder, pinned, inks } of texts) {
    if (!holder) continue;
    if (!holders.has(holder)) holders.set(holder, { node: holder, owner: holder, pinned, boxes: rects(holder).map((box) => clip(box, holder.parentElement)) });
    if (!scrolls(holder) && inks.some((ink) => !rects(holder).some((box) => holds(box, ink, 1))))
      say(holder, "does not hold its letters", node.data);
  }
  apart(texts.map((one) => ({ ...one, boxes: one.inks })), 1);
  apart([...holders.values()], 1);
  inView();
  return [...found];
}
