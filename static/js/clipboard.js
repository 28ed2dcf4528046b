// Puts a text on the clipboard, and says what came of it.

export function say(message) {
  document.getElementById("said").textContent = message;
}

// Where there is no clipboard (a page from another machine without https), the old way does it.
function oldCopy(text) {
  const box = document.createElement("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

export async function copyText(text, message) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else oldCopy(text);
  say(message);
}
