// The arrow keys and a clicker go through a scene.

import { keys } from "../presenter/keys.js";

const press = (id) => () => {
  const button = document.getElementById(id);
  if (!button || button.ariaDisabled === "true") return false;
  button.click();
  return true;
};

keys({
  ArrowRight: press("key-on"), PageDown: press("key-on"), ArrowLeft: press("key-back"), PageUp: press("key-back"),
  Home: press("key-first"), End: press("key-last"),
});
