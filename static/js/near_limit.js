// How long a text may be is shown where it comes within a tenth of that.

function measure(text, unit, least) {
  if (unit === "numbers") return text.split(/[\s,;]+/).length;
  return unit === "bytes" && text.length * 3 > least ? new Blob([text]).size : text.length;
}

document.addEventListener("input", ({ target }) => {
  const note = document.getElementById(`${target.id}-limit`);
  if (!note?.dataset.limit) return;
  const least = 0.9 * note.dataset.limit;
  note.hidden = measure(target.value, note.dataset.unit, least) < least;
});
