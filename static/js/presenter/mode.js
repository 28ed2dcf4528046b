// Presenter mode: a class of the root element, and full screen where the browser grants it. Listeners of "presented" lay
// out their stage.

const root = document.documentElement;

export const presenting = () => root.classList.contains("presenting");

let leaving = false; // full screen ends a moment after it was asked to

async function fillScreen(on) {
  try {
    if (on && !document.fullscreenElement && navigator.userActivation.isActive) await root.requestFullscreen();
    if (!on && document.fullscreenElement) leaving = true, await document.exitFullscreen();
  } catch {
    leaving = false; // a browser that refuses full screen shows the stage in its window
  }
}

export function present(on = !presenting()) {
  if (on === presenting()) return;
  root.classList.toggle("presenting", on);
  for (const button of document.querySelectorAll("[data-do=present]")) button.setAttribute("aria-pressed", on);
  document.dispatchEvent(new CustomEvent("presented"));
  fillScreen(on);
}

document.addEventListener("fullscreenchange", () => {
  if (document.fullscreenElement) return;
  const asked = leaving;
  leaving = false;
  if (!asked) present(false);
  else if (presenting() && navigator.userActivation.isActive) fillScreen(true); // P was pressed again in the meantime
});
