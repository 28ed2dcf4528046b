// P presents the page as slides that fill the screen; keys and clickers turn them. Steps and the scenes of the course have
// a stage of their own.

import { setRem } from "./canvas.js";
import { splitWideTables } from "./columns.js";
import { originalOf, slides } from "./deck.js";
import { passEnd, tellSlide } from "./events.js";
import { keys } from "./keys.js";
import { raiseLetters } from "./letters.js";
import { present, presenting } from "./mode.js";
import { pagesOf, showPage } from "./pages.js";
import { direct } from "./talk.js";

const SIZES = [84, 72, 62, 54, 48]; // units of a rem with which a slide is tried, the largest first
const SMALLEST = 44; // with which a long content takes several screens
const SMALLER = [40, 36, 32]; // for a text slide, whose letters are larger than a rem, so that it stays one
const deck = document.createElement("div");
deck.className = "deck canvas";
deck.setAttribute("role", "region");
deck.setAttribute("aria-label", "Presentation");
deck.innerHTML = '<h2 class="deck-title"></h2><div class="slide" role="status"></div><p class="deck-foot"><span class="deck-note"></span><button type="button" data-turn="-1" aria-label="Previous slide">‹</button><span class="deck-place"></span><button type="button" data-turn="1" aria-label="Next slide">›</button><button type="button" data-present aria-label="End the presentation">×</button></p>';
const [title, slide] = deck.children;
let [screens, at] = [[], 0];

function layOut({ title, flow }, height) {
  slide.replaceChildren(flow);
  const fits = (rem) => {
    setRem(rem);
    raiseLetters(flow);
    return slide.scrollHeight <= height && slide.scrollWidth <= slide.clientWidth + 1;
  };
  const sizes = [...SIZES, SMALLEST, ...(flow.querySelector(".own-slide") ? SMALLER : [])];
  if (fits(sizes.at(-1))) return [{ title, flow, rem: sizes.find(fits) }];
  fits(SMALLEST);
  splitWideTables(flow, slide.clientWidth);
  return pagesOf(slide, height, { even: true }).map((page) => ({ title, flow, rem: SMALLEST, page }));
}

function show(to) {
  at = Math.min(Math.max(to, 0), screens.length - 1);
  const { flow, rem, page } = screens[at] ?? { flow: "" };
  setRem(rem ?? SMALLEST);
  title.textContent = screens[at]?.title ?? document.title;
  title.classList.remove("long");
  title.classList.toggle("long", title.scrollWidth > title.clientWidth);
  slide.style.height = "";
  slide.replaceChildren(flow);
  deck.toggleAttribute("data-paged", Boolean(page));
  if (page) raiseLetters(flow), showPage(slide, page);
  deck.querySelector(".deck-note").textContent = page?.note ?? "";
  deck.querySelector(".deck-place").textContent = `${at + 1} of ${screens.length}`;
  tellSlide({ at: at + 1, total: screens.length, title: title.textContent, caption: page?.note ?? "" });
}

function turn(by) {
  if (at + by >= 0 && at + by < screens.length) show(at + by);
  else passEnd(by);
}

function preview() {
  const { title: heading, flow, rem, page } = screens[at + 1] ?? {};
  if (!flow) return null;
  const node = deck.cloneNode(true);
  const [head, box] = node.children;
  head.textContent = heading;
  box.replaceChildren(flow.cloneNode(true));
  node.toggleAttribute("data-paged", Boolean(page));
  box.style.height = page ? `${page.to - page.from + page.head}px` : "";
  return { node, rem, top: page ? page.from - page.head : 0 };
}

function renew() {
  deck.remove(); // below it, nothing of the page is visible
  if (!presenting()) return;
  const described = slides();
  document.body.append(deck);
  delete deck.dataset.paged; // of what was shown before
  slide.style.height = "";
  const height = slide.clientHeight;
  deck.dataset.paged = ""; // the height of a slide is that of its content
  screens = described.flatMap((one) => layOut(one, height));
  show(at);
}

document.addEventListener("click", ({ target }) => {
  const by = target.closest("[data-turn]")?.dataset.turn;
  if (by) turn(Number(by));
  else if (target.closest("[data-present]")) present();
  else if (target.closest(".joint") || !target.closest(".predict")) originalOf(target.closest(".slide button"))?.click();
});
if (!document.querySelector("[data-fit], #builder")) { // which have a stage of their own
  const within = (move) => () => (presenting() ? move() : false);
  const [on, back] = [within(() => turn(1)), within(() => turn(-1))];
  keys({
    ArrowRight: on, PageDown: on, " ": on, ArrowDown: on, ArrowLeft: back, PageUp: back, ArrowUp: back,
    Home: within(() => show(0)), End: within(() => show(screens.length - 1)),
    p: () => (document.querySelector("[data-present]") ? present() : false), Escape: within(() => present(false)),
  });
  document.addEventListener("presented", renew);
  for (const event of ["htmx:after:swap", "arrived", "canvas"]) document.addEventListener(event, () => presenting() && renew());
  document.fonts.addEventListener("loadingdone", () => presenting() && renew());
  direct({ turn, go: (to) => show(to - 1), preview });
}
