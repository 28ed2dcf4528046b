// Show a frame: its caption, its rows, and, where that is checked, the rows before the step.

const find = (id) => document.getElementById(id);

export function show(frame) {
  const fresh = frame.cloneNode(true);
  const caption = fresh.querySelector(".caption");
  find("caption").replaceChildren(...caption.childNodes);
  caption.remove();
  find("stage").replaceChildren(...fresh.childNodes);
  before();
}

// The node of a tree that was made last.
function newestNode(band) {
  return [...band.querySelectorAll(".tree [data-go]")].sort((a, b) => a.dataset.go - b.dataset.go).at(-1);
}

function scrollTo(item, band) {
  const [place, edge] = [item.getBoundingClientRect(), band.getBoundingClientRect()];
  if (place.left < edge.left || place.right > edge.right) band.scrollLeft += place.left - edge.left - edge.width / 3;
  if (place.top < edge.top || place.bottom > edge.bottom) band.scrollTop += place.top - edge.top - edge.height / 3;
}

// What is new, or was picked, is in view in its band, and the page stays where it is.
export function reveal() {
  for (const band of document.querySelectorAll("#before, #stage :is(.picture, .around, .evidence)")) {
    const items = [newestNode(band), ...[".new", ".won", ".picked"].map((one) => band.querySelector(one))];
    for (const item of items) if (item) scrollTo(item, band);
  }
}

// The rows once more, each new tile still its two halves.
export function before() {
  const rows = find("stage").querySelector(".rows");
  const wished = find("both").checked && rows?.querySelector(".new i");
  find("before").hidden = !wished;
  find("before").querySelector(".rows").replaceChildren(...(wished ? rows.cloneNode(true).childNodes : []));
  reveal();
}

export function place(step, total) {
  find("counter").textContent = `${step.toLocaleString("en")} of ${(total - 1).toLocaleString("en")}`;
  find("slider").max = total - 1;
  find("slider").value = step;
  find("slider").setAttribute("aria-valuetext", `step ${step} of ${total - 1}`);
  for (const field of document.querySelectorAll("[data-step-field]")) field.value = step;
  for (const [name, off] of [["first", step === 0], ["back", step === 0], ["on", step === total - 1], ["last", step === total - 1]]) {
    document.querySelector(`[data-do=${name}]`).setAttribute("aria-disabled", off);
  }
  const here = (1000 * step) / Math.max(1, total - 1);
  document.querySelector("#chart line")?.setAttribute("x1", here);
  document.querySelector("#chart line")?.setAttribute("x2", here);
}
