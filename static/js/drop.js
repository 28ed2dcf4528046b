// Files dropped anywhere on the page go to the first taker that wants them; takers that want only some come first. A
// taker also gets them as entries, which may be folders.

const takers = [];
const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
const highlight = (on) => document.documentElement.classList.toggle("dropping", on);

// `wants(files, element)` tells whether a taker wants files that were dropped on an element, at once or as a promise;
// without it, it wants all.
export function onDrop(take, wants) {
  if (wants) takers.unshift({ take, wants });
  else takers.push({ take, wants: () => true });
}

document.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  highlight(true);
});

for (const end of ["dragleave", "drop", "dragend"]) document.addEventListener(end, () => highlight(false));

document.addEventListener("drop", async (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  const { target, dataTransfer: { files, items } } = event;
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter(Boolean); // which only this moment gives
  for (const { take, wants } of takers) {
    if (await wants(files, target)) return void take(files, entries);
  }
});
