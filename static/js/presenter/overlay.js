// A layer over the canvas, in its units.

export function overlay(name, fill) {
  const box = document.createElement("div");
  box.className = `over canvas ${name}`;
  fill(box);
  document.body.append(box);
  return box;
}
