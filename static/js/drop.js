// Files dropped anywhere on the page are handed over.

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

export function onDrop(take) {
  document.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    document.documentElement.classList.add("dropping");
  });
  for (const over of ["dragleave", "drop", "dragend"]) {
    document.addEventListener(over, () => document.documentElement.classList.remove("dropping"));
  }
  document.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
}
