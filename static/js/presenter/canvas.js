// The canvas of a presentation: 1920 by 1080 units, on a screen held upright 1080 by 1920, scaled as a whole to the
// window. Every slide is laid out in units, so that it is the same on all screens.

const SIDES = [1920, 1080];
const style = document.documentElement.style;
let [scale, upright] = [1, null];

export const scaleOfCanvas = () => (document.documentElement.matches(".presenting") ? scale : 1);

export const isUpright = () => innerHeight > innerWidth;

// Place the canvas in the window, and say whether it was turned to the other side.
export function placeCanvas() {
  const before = upright;
  upright = isUpright();
  const [width, height] = upright ? [...SIDES].reverse() : SIDES;
  scale = Math.min(innerWidth / width, innerHeight / height);
  const measures = { width: `${width}px`, height: `${height}px`, scale, left: `${(innerWidth - width * scale) / 2}px`, top: `${(innerHeight - height * scale) / 2}px` };
  for (const [name, value] of Object.entries(measures)) style.setProperty(`--canvas-${name}`, value);
  return before !== null && before !== upright;
}

// The length of a rem on the canvas, from which the sizes of a slide follow.
export const setRem = (units) => style.setProperty("--rem", `${units}px`);
