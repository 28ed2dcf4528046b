// Predict first: the next step stays hidden until the audience picks a pair; then it is revealed, right or wrong.

const find = (id) => document.getElementById(id);
const spelled = (row) => [...row.querySelectorAll("th b")].map((part) => part.textContent).join(" and ");
let asking = null; // the rows in their true order

export const held = () => asking !== null;

export function ask(stage) {
  const table = stage.querySelector(".pairs");
  if (!table) return;
  const rows = [...table.querySelectorAll("tr")];
  asking = { table, rows, caption: [...find("caption").childNodes], stage };
  stage.classList.add("asking");
  find("caption").textContent = "Which pair comes next? Pick one.";
  const shuffled = [...rows].sort((a, b) => (spelled(a) < spelled(b) ? -1 : 1));
  for (const row of shuffled) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...row.cells[0].childNodes);
    row.cells[0].append(button);
    row.parentNode.append(row);
  }
}

export function reveal(picked) {
  if (!asking) return;
  const { table, rows, caption, stage } = asking;
  asking = null;
  for (const row of rows) {
    row.cells[0].append(...row.querySelector("button").childNodes);
    row.querySelector("button").remove();
    row.parentNode.append(row);
  }
  stage.classList.replace("asking", "answered");
  const won = rows.find((row) => row.matches(".won"));
  const verdict = document.createElement("strong");
  verdict.className = picked && picked === won ? "right" : "wrong";
  if (picked) {
    picked.classList.add("picked");
    verdict.textContent = picked === won ? "Right. " : `Not ${spelled(picked)}: ${picked.cells[1].textContent} against ${won.cells[1].textContent}${picked.cells[2].textContent && `, ${picked.cells[2].textContent}`}. `;
  }
  find("caption").replaceChildren(...(picked ? [verdict] : []), ...caption);
  table.dispatchEvent(new CustomEvent("revealed", { bubbles: true }));
}

export function drop() {
  asking = null;
  find("stage")?.classList.remove("asking", "answered");
}

document.addEventListener("click", (event) => {
  const row = event.target.closest(".asking .pairs tr");
  if (row) reveal(row);
});
