// The votes grow inside the choices on the stage, once the answer is shown, and stay as long as the question does.

const words = (one) => one?.textContent.trim().replace(/\s+/g, " ") ?? "";
const spelled = (row) => [...row.querySelectorAll("th b")].map(words).join(" and ");

function clear(page) {
  for (const one of page.querySelectorAll(".hall-tally")) one.remove();
  for (const one of page.querySelectorAll("[data-votes]")) one.removeAttribute("data-votes"), one.style.removeProperty("--votes");
}

function grow(one, { dataset: { count, share } }) {
  one.dataset.votes = count;
  one.style.setProperty("--votes", "0%");
  requestAnimationFrame(() => one.style.setProperty("--votes", `${100 * share}%`));
}

// What was typed, marked or put in order has no choice on the stage: the most frequent answers take the place of its field.
function list(question, items) {
  const tally = Object.assign(document.createElement("ol"), { className: "hall-tally" });
  for (const item of items.slice(0, 5)) {
    const line = Object.assign(document.createElement("li"), { className: item.className, textContent: item.textContent });
    tally.append(line);
    grow(line, item);
  }
  question.dataset.votes = "";
  question.querySelector(".verdict").before(tally);
}

// `bars` is the list that the server sends, and `page` the document on which the question stands.
export function drawBars(bars, page) {
  clear(page);
  const sheet = document.querySelector(".hall-screen [href*=hall_screen]"); // which a page in a frame lacks
  if (page !== document && !page.querySelector("[href*=hall_screen]")) page.head.append(page.importNode(sheet));
  if (!bars?.dataset.poll) return;
  const items = [...bars.children];
  for (const question of page.querySelectorAll(`[data-question="${CSS.escape(bars.dataset.poll)}"]`)) {
    if (!question.matches(".predict")) {
      for (const row of question.querySelectorAll(".pairs tr")) {
        const item = items.find((one) => words(one) === spelled(row));
        if (item) grow(row.cells[0], item);
      }
    } else if (bars.dataset.form === "choose") {
      for (const [at, choice] of question.querySelectorAll(".press, .guess").entries()) if (items[at]) grow(choice, items[at]);
    } else list(question, items);
  }
}
