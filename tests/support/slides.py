"""What is wrong with the slides of a presentation."""

LOOK = r"""() => {
  const canvas = document.querySelector(".deck, main.canvas");
  const scale = canvas.getBoundingClientRect().width / canvas.offsetWidth;
  const box = canvas.querySelector(".slide, [data-fit]");
  const clip = box.getBoundingClientRect();
  const deck = canvas.matches(".deck");
  const floor = canvas.querySelector(deck ? ".deck-foot" : "p.caption")?.getBoundingClientRect().top ?? innerHeight;
  const heads = [...box.querySelectorAll("thead, .heads")].map((one) => one.getBoundingClientRect());
  const faults = [];
  const cells = [];
  let shown = [...box.querySelectorAll("svg, img, canvas")].some((one) => one.checkVisibility());
  if (clip.bottom > floor + 2) faults.push("The slide is over its foot.");
  const isUnder = (rect, { top, bottom, right }) =>
    rect.bottom <= bottom + 2 && rect.top > top - rect.height && rect.top < bottom - 1 && rect.left < right;
  const covered = (rect) => heads.some((head) => isUnder(rect, head));
  const range = document.createRange();
  for (const walker = document.createTreeWalker(canvas, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const [node, one] = [walker.currentNode, walker.currentNode.parentElement];
    if (!node.data.trim() || one.closest(".hidden, .desk > h1, title")) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    const inside = box.contains(one) && (deck || !one.closest(".player, p.caption"));
    const matrix = one.ownerSVGElement && one.getScreenCTM?.();
    const size = parseFloat(getComputedStyle(one).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : scale);
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const air = 0.2 * rect.height;
      const text = node.data.trim().slice(0, 40);
      if (rect.width < 1 || rect.height < 1) continue;
      if (inside && (rect.bottom <= clip.top + air || rect.top >= clip.bottom - air)) continue;
      if (inside && !one.closest("thead, .heads") && covered(rect)) continue;
      const tell = (fault) => faults.push(`${fault}: ${text}`);
      if (inside && (rect.top < clip.top - air || rect.bottom > clip.bottom + air)) tell("A line is cut");
      if (rect.left < -1 || rect.right > innerWidth + 1) tell("Off the side of the screen");
      if (rect.top < -1 || rect.bottom > innerHeight + 1) tell("Off the screen");
      if (inside && (rect.left < clip.left - 2 || rect.right > clip.right + 2)) tell("Cut at its side");
      if (!one.closest("math") && size < 40 * scale - 0.2) tell("Too small");
      shown ||= inside;
      const cell = one.closest("td, th");
      if (inside && cell) cells.push(cell.textContent.trim().replace(/\s+/g, " "));
    }
  }
  if (!shown) faults.push("The slide is empty.");
  const caption = deck ? null : canvas.querySelector("p.caption");
  const lines = caption ? caption.offsetHeight / parseFloat(getComputedStyle(caption).lineHeight) : 0;
  const most = innerWidth > innerHeight ? 2.2 : 4.2;
  if (lines > most && caption.offsetHeight > 141) faults.push("The caption has too many lines.");
  return { faults, cells };
}"""

WALK = f"""(key) => {{
  const look = {LOOK};
  const found = {{ faults: [], cells: [], slides: 0 }};
  const find = (selector) => document.querySelector(selector);
  const state = () => [find(".deck-place")?.textContent, find("[data-part]")?.dataset.part].join();
  for (let last = null; state() !== last && found.slides < 400; found.slides++) {{
    last = state();
    const {{ faults, cells }} = look();
    found.faults.push(...faults.map((fault) => `${{last}}: ${{fault}}`));
    found.cells.push(...cells);
    document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }}));
  }}
  return found;
}}"""

SLIDE = f"""async () => {{
  await document.fonts.ready; // with each that arrives, the slides are made anew
  const look = {LOOK};
  const textOf = (selector) => document.querySelector(selector).innerText;
  const controls = document.querySelectorAll(".slide :is(input, select, textarea, form)").length;
  return {{ place: textOf(".deck-place"), title: textOf(".deck-title"), text: textOf(".slide"), controls, ...look() }};
}}"""

CELLS = r"""() => [...document.querySelectorAll("main :is(td, th)")]
  .filter((one) => one.innerText.trim() && one.checkVisibility() && !one.querySelector("input, select"))
  .filter((one) => !one.closest("[data-no-slide], form:not(:has(#result)), .hidden"))
  .filter((one) => [...one.childNodes].some((node) => node.textContent.trim() && !node.matches?.(".hidden")))
  .map((one) => one.cloneNode(true)).map((one) => {
    one.querySelectorAll("[data-no-slide]").forEach((part) => part.remove());
    return one.textContent.trim().replace(/\s+/g, " ");
  })"""


def walk(page, key="ArrowDown"):
    """Return the faults of all slides from this one on, the texts of the cells on them, and the number of slides."""
    page.evaluate("() => document.fonts.ready")
    return page.evaluate(WALK, key)


def turned(page):
    """Turn all slides of a page with the key of a clicker, and return what is seen of each."""
    page.keyboard.press("p")
    page.locator(".deck-place").wait_for()
    seen, last = [], None
    while (slide := page.evaluate(SLIDE))["place"] != last and len(seen) < 100:
        seen.append(slide)
        page.keyboard.press("PageDown")
        last = slide["place"]
    return seen


def cells(page):
    """Return the texts of the cells of all tables that the page shows."""
    return page.evaluate(CELLS)
