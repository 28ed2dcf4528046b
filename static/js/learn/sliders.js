// A slider beside a number, in equal ratios; while it is dragged, one calculation follows the other.

const form = document.querySelector("main form");
const sliders = [...form.querySelectorAll("[data-slides]")];
const STEPS = 1000;
let busy = false;
let waiting = false;

const numberOf = (slider) => form.elements[slider.dataset.slides];
const span = ({ dataset: { low, high } }) => Math.log(high / low);

// The value of a slider with three digits, whole where the number is.
function read(slider) {
  const value = Number((slider.dataset.low * Math.exp((slider.value / STEPS) * span(slider))).toPrecision(3));
  return numberOf(slider).step === "any" ? value : Math.round(value);
}

function show(slider) {
  const value = Number(numberOf(slider).value);
  slider.value = value > 0 ? (STEPS * Math.log(value / slider.dataset.low)) / span(slider) : 0;
  slider.ariaValueText = numberOf(slider).value;
}

function calculate() {
  waiting = busy || !("htmxPowered" in form.dataset);
  if (waiting) return;
  busy = true;
  form.dispatchEvent(new CustomEvent("calculate"));
}

function follow() {
  busy = false;
  if (waiting) calculate();
}

form.addEventListener("input", ({ target }) => {
  if (target.dataset.slides) {
    numberOf(target).value = read(target);
    target.ariaValueText = numberOf(target).value;
  } else sliders.filter((one) => numberOf(one) === target).forEach(show);
  calculate();
});
form.addEventListener("htmx:after:init", follow, { once: true });
form.addEventListener("htmx:finally:request", follow);
sliders.forEach(show);
