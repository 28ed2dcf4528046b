// Place the rows of a picker below its field, or above it where there is more room.

const GAP = 4; // pixels
const [ENOUGH, MOST] = [260, 420]; // pixels of height

export function place(field, list) {
  const box = field.getBoundingClientRect();
  const below = innerHeight - box.bottom - GAP;
  const up = below < ENOUGH && box.top > below;
  Object.assign(list.style, {
    left: `${box.left}px`,
    width: `${box.width}px`,
    maxHeight: `${Math.min(MOST, (up ? box.top : below) - 2 * GAP)}px`,
    top: up ? "auto" : `${box.bottom + GAP}px`,
    bottom: up ? `${innerHeight - box.top + GAP}px` : "auto",
  });
}

// Follow the field while the page scrolls or the window changes.
export function follow(field, list) {
  const move = ({ target }) => field.ariaExpanded === "true" && target !== list && place(field, list);
  addEventListener("resize", move);
  addEventListener("scroll", move, { capture: true, passive: true });
}
