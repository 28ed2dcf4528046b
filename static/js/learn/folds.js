// Formula and code are open by choice, which this browser remembers for every scene.

const KEY = "tokenarium-folds";
const boxes = [...document.querySelectorAll(".learn-folds input")];

try {
  const open = JSON.parse(localStorage.getItem(KEY)) ?? [];
  for (const box of boxes) box.checked = open.includes(box.id);
} catch { /* a browser that keeps nothing shows the course all the same */ }

for (const box of boxes) {
  box.addEventListener("change", () => {
    try {
      const open = new Set(JSON.parse(localStorage.getItem(KEY)) ?? []);
      open[box.checked ? "add" : "delete"](box.id);
      localStorage.setItem(KEY, JSON.stringify([...open]));
    } catch { /* it stays open on this page */ }
  });
}
