// Copy a text to the clipboard, and announce it.

export function say(message) {
  document.getElementById("said").textContent = message;
}

// Without https, a page of another machine has no clipboard API.
function copyBySelection(text) {
  const box = document.createElement("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

export async function copyText(text, message) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
  say(message);
}
