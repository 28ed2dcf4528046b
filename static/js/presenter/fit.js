// In presenter mode, the largest size of text at which the stage fits into its place. While a run goes on, the size only
// shrinks: a text that grew at every merge would be restless.

const [SMALLEST, LEGIBLE, LARGEST] = [0.015, 0.03, 0.085]; // of the height of the screen; 3 % are 32 px of 1080
const TRIES = 7;
const DENSE = 0.0017; // scale by height of the screen below which a drawing has room only for its bold labels

const place = () => document.querySelector("[data-fit]");
const fits = ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => scrollHeight <= clientHeight + 1 && scrollWidth <= clientWidth + 1;

// A drawing scales as a whole: `--unit` times a length on the screen is that length in the drawing.
function scaleDrawings(box) {
  for (const drawing of box.querySelectorAll("svg[viewBox]")) {
    const scale = drawing.getScreenCTM()?.a;
    if (!scale) continue;
    drawing.style.setProperty("--unit", `${1 / scale}`);
    drawing.classList.toggle("dense", scale < DENSE * innerHeight);
  }
}

export function fit({ anew = false } = {}) {
  const box = place();
  const content = box?.firstElementChild;
  if (!content || !document.documentElement.classList.contains("presenting")) return;
  const set = (size) => content.style.setProperty("--fit", `${size.toFixed(1)}px`);
  const px = (share) => share * innerHeight;
  const current = parseFloat(content.style.getPropertyValue("--fit"));
  let high = anew || !current ? px(LARGEST) : current;
  set(high);
  if (!fits(box)) {
    set(px(LEGIBLE));
    let low = px(fits(box) ? LEGIBLE : SMALLEST);
    if (low !== px(LEGIBLE)) high = px(LEGIBLE);
    for (let i = 0; i < TRIES; i++) {
      const middle = (low + high) / 2;
      set(middle);
      if (fits(box)) low = middle;
      else high = middle;
    }
    set(low);
  }
  scaleDrawings(box);
}

const renew = () => fit({ anew: true });
document.addEventListener("presented", renew);
document.addEventListener("htmx:after:swap", renew);
addEventListener("resize", renew);
