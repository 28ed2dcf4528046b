"""What is wrong with the stage of Steps or of a scene, and where its regions are."""

REGIONS = """() => Object.fromEntries(["picture", "evidence", "caption"].flatMap((name) => {
  const one = document.querySelector(`main .${name}`);
  const asks = name === "caption" && document.querySelector("main .below .predict");
  if (!one?.checkVisibility() || asks) return [];
  const { left, top, width, height } = one.getBoundingClientRect();
  return [[name, [left, top + scrollY, width, height].map(Math.round)]];
}))"""

FAULTS = r"""async () => {
  await document.fonts.ready; // a step may have letters of another font
  const find = (selector) => document.querySelector(selector);
  const presented = document.documentElement.matches(".presenting");
  const canvas = find("main.canvas");
  const scale = canvas ? canvas.getBoundingClientRect().width / canvas.offsetWidth : 1;
  const found = [];
  const tell = (fault, one) => found.push(`${fault}: ${one.textContent.trim().replace(/\s+/g, " ").slice(0, 50)}`);
  const isSeen = (one) => one.textContent.trim() && one.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);
  const place = (one) => one.getBoundingClientRect();
  const cross = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  if (/\bpart \d+ of/.test(find("main").innerText)) found.push("A step is split.");
  const regions = all("main :is(.picture, .evidence, .below, .caption)");
  for (const [at, one] of regions.entries()) {
    const others = regions.slice(at + 1).filter((other) => !one.contains(other) && cross(place(one), place(other)));
    for (const other of others) tell("Regions overlap", other);
  }
  const letters = ":is(.row b:not(.ghost), svg text), .evidence :is(th, td, dt, dd, b)";
  for (const one of all(`.picture ${letters}, main .caption, main .caption b`)) {
    const [rect, region] = [place(one), place(one.closest(".picture, .evidence, .caption"))];
    const [air, scrolls] = [0.2 * rect.height, one.closest(presented ? "#none" : ".around, .evidence, .grown")];
    if (!scrolls && (rect.left < region.left - 2 || rect.right > region.right + 2)) tell("Cut at its side", one);
    if (!presented) continue;
    if (rect.bottom > region.bottom + air || rect.top < region.top - air) tell("Cut", one);
    const matrix = one.ownerSVGElement && one.getScreenCTM();
    const size = parseFloat(getComputedStyle(one).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : scale);
    if (size < 28 * scale - 0.3) tell(`Letters of ${Math.round(size / scale)} units`, one);
  }
  for (const one of presented ? all(".evidence .code span") : []) {
    const lines = one.offsetHeight / parseFloat(getComputedStyle(one).fontSize);
    if (one.innerText !== one.textContent || lines > 2) tell("Code is broken", one);
  }
  for (const one of presented ? all("main :is(.caption, .below)") : []) {
    if (one.scrollHeight > one.clientHeight + 2) tell("A sentence is cut", one);
  }
  if (!all("main :is(.picture, .evidence)").length && !find("main .picture svg")) found.push("The slide is empty.");
  return found;
}"""


def regions(page):
    """Return where each region is on the page, and its size."""
    return page.evaluate(REGIONS)


def faults(page):
    """Return what is cut, too small, or lies over something else."""
    return page.evaluate(FAULTS)
