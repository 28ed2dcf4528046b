// Which scenes were seen to their end or practised: kept in this browser alone, and shown on the map.

const KEY = "tokenarium-learn";

function seen() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY)) ?? []);
  } catch {
    return new Set();
  }
}

function note(id) {
  try {
    localStorage.setItem(KEY, JSON.stringify([...seen().add(id)]));
  } catch { /* a browser that keeps nothing shows the course all the same */ }
}

function mark() {
  const ids = seen();
  for (const item of document.querySelectorAll("[data-scene]")) item.classList.toggle("seen", ids.has(item.dataset.scene));
  for (const bar of document.querySelectorAll("progress[data-chapter]")) {
    bar.value = document.querySelectorAll(`[data-in="${bar.dataset.chapter}"].seen`).length;
  }
}

// A scene is seen when its last step is on the stage.
function check() {
  const view = document.querySelector(".learn-view");
  if (view && Number(view.dataset.step) === Number(view.dataset.total) - 1) note(location.pathname.split("/")[2]);
}

document.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-forget]")) return;
  localStorage.removeItem(KEY);
  mark();
});
document.addEventListener("htmx:after:swap", check);
check();
mark();
