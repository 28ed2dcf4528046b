// The keyboard and a presenter's clicker.

const typing = (target) => target.matches?.("textarea, select, input:not([type=range], [type=checkbox], [type=radio])");

export function keys(moves) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const move = moves[event.key] ?? moves[event.key.toLowerCase()];
    if (!move) return;
    const own = event.target.closest?.("button, summary, a, input");
    if (event.key === " " && own) return; // Space presses what has the focus
    if (event.key.startsWith("Arrow") && event.target.type === "radio") return;
    if (move({ quick: event.repeat }) !== false) event.preventDefault(); // a move that is not possible now leaves the key
  });
}
