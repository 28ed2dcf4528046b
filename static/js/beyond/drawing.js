// Draw a movement: the path of the pointer, sampled at moments of equal distance in time, becomes the numbers of the form.

import { tokenize } from "../typing.js";

const MOMENTS = 50;
const canvas = document.getElementById("draw");
const numbers = document.getElementById("numbers");
const pen = canvas.getContext("2d");
let path = [];

// Between -1 and 1 along the longer side, with y upwards, as in a plot.
function place({ clientX, clientY, timeStamp }) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const x = (clientX - left) / width, y = (clientY - top) / height;
  return { x: 2 * x - 1, y: (1 - 2 * y) * (height / width), at: timeStamp, px: x * canvas.width, py: y * canvas.height };
}

function stroke(from, to) {
  pen.strokeStyle = getComputedStyle(canvas).color;
  pen.lineWidth = 4;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(from.px, from.py);
  pen.lineTo(to.px, to.py);
  pen.stroke();
}

function sampled() {
  const [first, last] = [path[0].at, path.at(-1).at];
  let next = 1;
  return Array.from({ length: MOMENTS }, (_, moment) => {
    const at = first + ((last - first) * moment) / (MOMENTS - 1);
    while (next < path.length - 1 && path[next].at < at) next++;
    const [a, b] = [path[next - 1], path[next]];
    const share = b.at > a.at ? Math.min(1, Math.max(0, (at - a.at) / (b.at - a.at))) : 0;
    return [a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)];
  });
}

// The numbers as the path that was drawn, also after a reload; those that a pen on the canvas cannot give are not shown.
function restore() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const rows = numbers.value.trim().split("\n").map((line) => line.split(",").map(Number)).filter((row) => !row.some(Number.isNaN));
  const highest = canvas.height / canvas.width + 0.001; // of what was drawn, rounded
  if (rows.some((row) => row.length !== 2 || Math.abs(row[0]) > 1 || Math.abs(row[1]) > highest)) return;
  const points = rows.map(([x, y]) => ({ px: ((x + 1) / 2) * canvas.width, py: canvas.height / 2 - (y * canvas.width) / 2 }));
  for (const [at, point] of points.entries()) if (at) stroke(points[at - 1], point);
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  path = [place(event)];
});

canvas.addEventListener("pointermove", (event) => {
  if (!path.length) return;
  for (const one of event.getCoalescedEvents?.() ?? [event]) {
    const point = place(one);
    stroke(path.at(-1), point);
    path.push(point);
  }
});

function end() {
  if (path.length > 2) {
    const rows = sampled().map((row) => row.map((x) => Number(x.toFixed(3))).join(","));
    numbers.value = ["x,y", ...rows].join("\n");
    document.querySelector(".menu [aria-current]")?.removeAttribute("aria-current");
    tokenize();
  }
  path = [];
}

canvas.addEventListener("pointerup", end);
canvas.addEventListener("pointercancel", end);
numbers.addEventListener("input", restore);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restore);
restore();
