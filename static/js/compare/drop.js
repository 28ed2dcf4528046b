// Several files dropped anywhere, or any dropped on the many texts, are texts to count; one dropped elsewhere is the text.

export function dropped(take) {
  document.addEventListener("drop", (event) => {
    const files = event.dataTransfer?.files ?? [];
    if (!files.length || (files.length === 1 && !event.target.closest("#many"))) return;
    event.preventDefault();
    event.stopPropagation();
    document.documentElement.classList.remove("dropping");
    take(files);
  }, { capture: true });
}
