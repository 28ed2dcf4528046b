// Keys and clickers go through a scene, and from its last step on to the next scene, also while it is presented.

import { fit } from "../presenter/fit.js";
import { keys } from "../presenter/keys.js";
import { present, presenting } from "../presenter/mode.js";

const KEY = "tokenarium-presenting"; // in this tab, until the presentation ends
const usable = (id) => {
  const button = document.getElementById(id);
  return button?.ariaDisabled === "true" ? null : button;
};
const press = (id, then) => () => {
  const button = usable(id) ?? (presenting() ? document.getElementById(then) : null);
  button?.click();
  return Boolean(button);
};

keys({
  ArrowRight: press("key-on", "next-scene"), PageDown: press("key-on", "next-scene"),
  ArrowLeft: press("key-back", "previous-scene"), PageUp: press("key-back", "previous-scene"),
  Home: press("key-first"), End: press("key-last"),
  p: () => present(), Escape: () => present(false),
});

document.addEventListener("presented", () => {
  if (presenting()) sessionStorage.setItem(KEY, "1");
  else sessionStorage.removeItem(KEY);
});
if (sessionStorage.getItem(KEY)) {
  present(true);
  fit({ anew: true });
}
