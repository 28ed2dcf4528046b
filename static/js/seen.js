// Before the page is drawn: the opening is shown once, and not where a link leads to a text. It plays unless motion is to be
// reduced. This is a plain script, since a module would run after the first drawing and move what is there.
(function () {
  "use strict";
  var seen = location.hash.length > 1 || location.search !== "";
  try {
    seen = seen || localStorage.getItem("tokenarium.opening") === "seen";
  } catch (error) { /* storage is switched off: it is shown each time */ }
  if (seen) document.documentElement.classList.add("seen");
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) document.documentElement.classList.add("staged");
})();
