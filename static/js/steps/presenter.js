// Presenter mode: the stage alone, large, in full screen.

const root = document.documentElement;

export async function present(on = !root.classList.contains("presenting")) {
  root.classList.toggle("presenting", on);
  document.getElementById("present").setAttribute("aria-pressed", on);
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
