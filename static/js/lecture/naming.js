// The title of an item: that of its page, and the beginning of the text that it shows.

const LONGEST = 40; // characters of the text

export function titleOf(page, text = "") {
  const scene = page.querySelector(".learn-head h1");
  if (scene) return scene.textContent.trim();
  const name = page.title.startsWith("Tokenarium") ? "Tokens" : page.title.replace(/(: | · )Tokenarium$/, "");
  const [line] = text.trim().split("\n");
  const start = line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line;
  return [name, start].filter(Boolean).join(": ");
}
