// Files dropped anywhere on the page are files to learn from.

const input = document.getElementById("files");

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

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
  input.files = event.dataTransfer.files;
  input.focus();
});
