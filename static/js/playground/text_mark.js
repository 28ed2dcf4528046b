// Frame a token in the text box. A text box holds only plain text, so a copy of it, which nobody sees, lies over it with
// the frame at the same place.

const MAX_LENGTH = 20_000; // characters that are laid out again for it
const area = document.getElementById("text");
const layer = Object.assign(document.createElement("div"), { className: "text-mark", ariaHidden: "true" });

// Where a token begins and ends in the text, in UTF-16 units.
function spanOf(token) {
  const { from, to } = token.dataset;
  if (from !== undefined) { // these count code points
    const characters = [...area.value];
    const start = characters.slice(0, from).join("").length;
    return [start, start + characters.slice(from, to).join("").length];
  }
  let start = 0;
  for (const section of document.querySelectorAll("#result .window")) {
    const text = section.querySelector(".text");
    if (section.contains(token)) {
      const cell = token.closest(".split") ?? token;
      const range = document.createRange();
      range.setStart(text, 0);
      range.setEndBefore(cell);
      start += range.toString().length;
      const covered = cell.querySelector(".whole") ?? cell;
      // Line ends of a file, and characters that a page cannot hold, are others in the text box.
      const end = start + covered.textContent.length;
      return area.value.slice(start, end) === covered.textContent ? [start, end] : [0, 0];
    }
    start += text.textContent.length;
  }
  return [0, 0];
}

export function unmarkInText() {
  layer.remove();
}

export function markInText(token) {
  if (area.disabled || area.textLength > MAX_LENGTH) return unmarkInText();
  const [start, end] = spanOf(token);
  if (start === end) return unmarkInText();
  const frame = document.createElement("mark");
  frame.textContent = area.value.slice(start, end);
  layer.replaceChildren(area.value.slice(0, start), frame, `${area.value.slice(end)}\u200B`);
  layer.dir = area.matches(":dir(rtl)") ? "rtl" : "ltr";
  const { offsetLeft, offsetTop, clientWidth, clientHeight } = area;
  Object.assign(layer.style, { left: `${offsetLeft + area.clientLeft}px`, top: `${offsetTop + area.clientTop}px`, width: `${clientWidth}px`, height: `${clientHeight}px` });
  if (!layer.isConnected) area.after(layer);
  layer.scrollTop = area.scrollTop;
}

area.addEventListener("scroll", () => (layer.scrollTop = area.scrollTop));
area.addEventListener("input", unmarkInText);
