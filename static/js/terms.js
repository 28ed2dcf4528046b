// A term of art opens its definition where it stands; and the first page of all offers the course, once.

let note, opener;

function place(link) {
  const { left, bottom, top } = link.getBoundingClientRect();
  const { width, height } = note.getBoundingClientRect();
  note.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  note.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : Math.max(8, top - height - 4)}px`;
}

async function open(link) {
  const answer = await fetch(`/learn/glossary/${link.dataset.term}`);
  if (!answer.ok) return void (location.href = link.href);
  note ??= Object.assign(document.createElement("div"), { className: "term-note", popover: "auto" });
  note.innerHTML = await answer.text(); // made by this server's own template
  document.getElementById("main").append(note); // where no rule of the page for what stands in a table or a list applies to it
  opener = link;
  note.setAttribute("role", "note");
  note.showPopover();
  place(link);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-term]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(link);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !note?.matches(":popover-open")) return;
  event.stopPropagation(); // it closes the note and nothing else
  note.hidePopover();
  opener.focus();
}, { capture: true });
