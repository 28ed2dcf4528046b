// The slides of a page: copies of what its templates mark with data-slide, where equal names share a slide, and of each of
// its sections; data-no-slide is left out. The page itself stays as it is.

const PASSED = "nav, dialog, script, style, template, button, [data-no-slide], .hidden, .busy, .said, .menus, .tools, .exports, .skip";
const CONTROLS = "form, [hidden], [data-no-slide], button:not(.press), select, textarea, input, audio, progress, script";
const NAMES = ["id", "name", "form", "for", "style", "tabindex", "role", "aria-labelledby", "aria-describedby", "aria-live"];
const HEADS = ":is(h1, h2):not(.hidden)";
const main = () => document.querySelector("main");
const textOf = (one) => one?.textContent.trim().replace(/\s+/g, " ") ?? "";
const originals = new WeakMap(); // of the copies of buttons

const isShown = (one) => one.checkVisibility() || getComputedStyle(one).display === "contents" || Boolean(one.closest("details:not([open])"));
const isPassed = (one) => one.matches(PASSED) || (one.localName === "form" && !one.querySelector("[data-slide], #result")) || !isShown(one);

// What is marked, and for each heading of the first two levels what follows it.
function parts() {
  const slides = [];
  const named = new Map();
  const visit = (parent) => {
    for (const one of parent.children) {
      const name = one.dataset.slide;
      if (isPassed(one)) continue;
      if (name && named.has(name)) named.get(name).push(one);
      else if (name !== undefined || one.matches(HEADS)) {
        slides.push([one]);
        if (name) named.set(name, slides.at(-1));
      } else if (one.querySelector(`${HEADS}, [data-slide]`)) visit(one);
      else slides.at(-1)?.push(one);
    }
  };
  visit(main());
  const empty = main().querySelector(".empty"); // what a page says that has nothing to show yet
  return slides.length || !empty ? slides : [[empty]];
}

function copyOf(one) {
  const copy = one.cloneNode(true);
  const buttons = one.querySelectorAll("button");
  for (const [at, button] of copy.querySelectorAll("button").entries()) originals.set(button, buttons[at]);
  for (const button of copy.querySelectorAll(":is(th, td) button")) button.replaceWith(...button.childNodes);
  for (const out of copy.querySelectorAll(CONTROLS)) out.remove();
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    if (!each.closest(".katex")) for (const name of NAMES) each.removeAttribute(name); // which places letters by styles
    if (each.localName === "details") each.open = true;
  }
  return copy;
}

// A button on a slide is that of the page.
export const originalOf = (button) => originals.get(button);

function titleOf([first]) {
  const own = first.dataset.title ?? textOf(first.matches(HEADS) ? first : first.querySelector(HEADS));
  if (own) return own;
  const before = [...main().querySelectorAll(HEADS)].filter((one) => one.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING);
  return textOf(before.at(-1)) || document.title;
}

// Each slide as { title, flow }: its copies, without the heading that is its title. A page has one slide at least.
export function slides() {
  const shown = parts().map((part) => {
    const title = titleOf(part);
    const flow = document.createElement("div");
    flow.className = "slide-flow";
    flow.append(...part.map(copyOf));
    const heading = flow.querySelector(HEADS);
    if (textOf(heading) === title) heading.remove();
    return { title, flow };
  }).filter(({ flow }) => textOf(flow) || flow.querySelector("svg, img, canvas"));
  return shown.length ? shown : [{ title: document.title, flow: document.createElement("div") }];
}
