// Presenter mode: a class of the root element, and full screen where the browser grants it. Listeners of "presented" lay
// out their stage.

const root = document.documentElement;

export const presenting = () => root.classList.contains("presenting");

export async function present(on = !presenting()) {
  if (on === presenting()) return;
  root.classList.toggle("presenting", on);
  for (const button of document.querySelectorAll("[data-do=present]")) button.setAttribute("aria-pressed", on);
  document.dispatchEvent(new CustomEvent("presented"));
  try {
    if (on && !document.fullscreenElement) await root.requestFullscreen();
    if (!on && document.fullscreenElement) await document.exitFullscreen();
  } catch {
    // A browser that refuses full screen shows the stage in its window.
  }
}

document.addEventListener("fullscreenchange", () => {
  if (!document.fullscreenElement) present(false);
});
