// How the tokens are shown, whitespace and letters of one width, is remembered here; a link that was followed says it itself.

import { isOwnAddress } from "../session/address.js";

const KEY = "tokenarium.view";
const boxes = ["spaces", "fixed"].map((id) => document.getElementById(id));

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function restore() {
  const followed = location.hash.length > 1 && !isOwnAddress();
  if (followed || new URLSearchParams(location.search).has("spaces")) return;
  for (const box of boxes) box.checked = stored()[box.id] ?? box.checked;
}

for (const box of boxes) {
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...stored(), [box.id]: box.checked }));
    } catch { /* it holds for this visit */ }
  });
}
restore();
document.getElementById("lab").addEventListener("restored", restore); // the page's own address may be older
