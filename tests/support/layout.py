"""Where things are on a screen."""

SHIFTS = """() => {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: "layout-shift", buffered: true });
  return observer.takeRecords().filter((one) => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0);
}"""
"""How far the layout has shifted, but for what a click or key of the visitor caused within half a second."""


SCREENS = ((1920, 1080), (1280, 720))
LEGIBLE = 32 / 1080  # of the height of the screen
BOXES = """selector => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility()).map(one => {
  const { left, top, right, bottom, height } = one.getBoundingClientRect();
  const scale = one.getScreenCTM?.().a ?? 1;
  return { left, top, right, bottom, height, size: scale * parseFloat(getComputedStyle(one).fontSize) };
})"""


def boxes(page, selector):
    """The visible elements of a selector, each with its edges and the height of its letters on the screen."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # laid out
    return page.evaluate(BOXES, selector)


def on_screen(page, selector, *, legible=False):
    """Say what of a selector lies outside the screen, or is too small to read from the last row."""
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    shown = boxes(page, selector)
    assert shown, selector
    return [
        box
        for box in shown
        if box["left"] < 0
        or box["top"] < 0
        or box["right"] > width
        or box["bottom"] > height
        or (legible and box["size"] < LEGIBLE * height - 0.1)
    ]
