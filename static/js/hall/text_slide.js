// Text slides as the stage renders them, and the choices of their polls; what renders Markdown is loaded with the first.

const choices = new Map(); // the text of a choice of a poll -> its elements

function spell(root) {
  for (const place of root.querySelectorAll("[data-choice]:not(.hall-spelled)")) {
    const choice = choices.get(place.textContent.trim());
    if (choice) place.replaceChildren(choice.cloneNode(true)), place.classList.add("hall-spelled");
  }
}

async function render(place) {
  place.classList.add("hall-rendered");
  const { slideOf } = await import("../lecture/markdown.js");
  const slide = await slideOf({ text: place.dataset.markdown, picture: null });
  for (const choice of slide.querySelectorAll(".choice")) {
    const content = document.createDocumentFragment();
    content.append(...choice.cloneNode(true).childNodes);
    choices.set(choice.dataset.text, content);
  }
  place.replaceChildren(slide);
}

// Where it cannot be loaded, the Markdown stays.
export async function showTexts(root) {
  await Promise.all([...root.querySelectorAll("[data-markdown]:not(.hall-rendered)")].map((place) => render(place).catch(() => place.classList.remove("hall-rendered"))));
  if (choices.size) spell(root);
}
