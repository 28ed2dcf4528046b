// How the tokens are shown, whitespace and letters of one width, is remembered here: it is nobody else's business.

const KEY = "tokenarium.view";
const boxes = ["spaces", "fixed"].map((id) => document.getElementById(id));

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

const given = new URLSearchParams(location.search).has("spaces");
for (const box of boxes) {
  if (!given && box.id in stored()) box.checked = stored()[box.id];
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...stored(), [box.id]: box.checked }));
    } catch { /* it holds for this visit */ }
  });
}
