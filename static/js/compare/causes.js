// A place of a cause marks its tokens in every column and brings them into view. Beyond the part of the text that the
// columns show, it selects the place in the text box.

const result = document.getElementById("result");
let marked = [];

function clear() {
  for (const one of marked) one.classList.remove("spotted");
  for (const one of result.querySelectorAll(".spots [aria-pressed=true]")) one.ariaPressed = "false";
  marked = [];
}

// Places count code points, and a text box UTF-16 units.
function select(from, to) {
  const box = document.getElementById("text");
  const [before, inside] = [[0, from], [from, to]].map((span) => [...box.value].slice(...span).join("").length);
  box.focus();
  box.setSelectionRange(before, before + inside);
}

function show(first) {
  const text = first.closest(".text");
  if (text) text.scrollTop += first.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  else first.scrollIntoView({ block: "nearest" });
}

result.addEventListener("click", ({ target }) => {
  const spot = target.closest(".spots button");
  if (!spot) return;
  const again = spot.ariaPressed === "true";
  clear();
  if (again) return;
  const [from, to] = [Number(spot.dataset.from), Number(spot.dataset.to)];
  const tokens = [...result.querySelectorAll("[data-s]")];
  marked = tokens.filter(({ dataset }) => Number(dataset.s) < to && Number(dataset.e) > from);
  if (!marked.length) return void select(from, to);
  spot.ariaPressed = "true";
  for (const one of marked) one.classList.add("spotted");
  const columns = new Set(marked.map((one) => one.closest(".col, .place")));
  for (const column of columns) show(marked.find((one) => column.contains(one)));
  marked[0].closest(".col, .place").scrollIntoView({ block: "nearest" });
});
