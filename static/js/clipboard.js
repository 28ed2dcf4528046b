// Copy a text to the clipboard, and announce it.

export function say(message) {
  const place = document.getElementById("said");
  if (!place) return;
  place.textContent = ""; // the same message is seen, and read out, a second time
  requestAnimationFrame(() => (place.textContent = message));
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
  try {
    await navigator.clipboard.writeText(text);
  } catch { // there is none, or it is not permitted
    copyBySelection(text);
  }
  say(message);
}
