// The keys of a combobox. https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

const PAGE = 8; // rows
const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };

export function keyboard(field, { open, close, walk, choose }) {
  field.addEventListener("keydown", (event) => {
    const opened = field.ariaExpanded === "true";
    const enters = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
    if (event.key in MOVES) opened ? walk(MOVES[event.key]) : open();
    else if (enters) opened ? choose() : open();
    else if (event.key === "Escape" && opened) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
