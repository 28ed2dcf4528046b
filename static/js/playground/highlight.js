// Mark the token under the pointer, or in focus, in text, ids, bytes and table together.

let marked = [];

function mark(event) {
  for (const one of marked) one.classList.remove("on");
  const token = event.target.closest?.(".window [data-i]");
  marked = token ? [...token.closest(".window").querySelectorAll(`[data-i="${token.dataset.i}"]`)] : [];
  for (const one of marked) one.classList.add("on");
}

document.addEventListener("pointerover", mark);
document.addEventListener("focusin", mark);
document.documentElement.addEventListener("pointerleave", mark);
