// Tokenize while the text is typed: at once, and while an answer is under way, as soon as it is there. What takes the
// server or the page long is followed by a rest as long. Every other field of the form takes effect at once.

const form = document.getElementById("lab");
const [QUICK, LONGEST_REST, PAUSE] = [100, 700, 120]; // milliseconds
const isText = (field) => field.matches("textarea");
const text = () => (form.elements.text.disabled ? undefined : form.elements.text.value); // a file takes its place
let underWay = 0; // requests; one that is replaced ends after the next has begun
let begun = 0;
let timer;
const isReady = () => "htmxPowered" in form.dataset;
const isWaiting = () => "waiting" in form.dataset; // something was typed that no request has
const wait = (on) => form.toggleAttribute("data-waiting", on);

export function tokenize() {
  clearTimeout(timer);
  timer = undefined;
  wait(!isReady());
  if (isWaiting()) return;
  if ("needsText" in form.dataset && text() === "") return void form.dispatchEvent(new CustomEvent("emptied"));
  form.dispatchEvent(new CustomEvent("tokenize"));
}

// Tokenize, unless a request is under way: then after it.
export function follow() {
  if ("supersede" in form.dataset && underWay) supersede();
  else if (underWay || timer) wait(true);
  else tokenize();
}

// End the request under way, whose answer nobody waits for any more, once the typing pauses.
function supersede() {
  wait(true);
  document.getElementById("result").setAttribute("data-stale", "");
  clearTimeout(timer);
  timer = setTimeout(tokenize, PAUSE);
}

document.addEventListener("input", ({ target }) => {
  if (target.form === form && isText(target)) follow();
});

// What was typed or restored before htmx, which begins later than the scripts of the page, heard of this form.
const isChanged = () => isWaiting() || [...form.elements].some((field) => isText(field) && field.value !== field.defaultValue);
if (isReady()) isChanged() && follow();
else form.addEventListener("htmx:after:init", () => isChanged() && tokenize(), { once: true });

form.addEventListener("htmx:before:request", () => {
  underWay += 1;
  begun = performance.now();
});

form.addEventListener("htmx:finally:request", () => {
  underWay -= 1;
  if (underWay) return;
  clearTimeout(timer);
  const took = performance.now() - begun;
  timer = setTimeout(() => {
    timer = undefined;
    if (isWaiting()) tokenize();
  }, took < QUICK ? 0 : Math.min(took, LONGEST_REST));
});

// #spaces only changes how the page looks, and an answer to a question is sent by its button.
document.addEventListener("change", ({ target }) => {
  if (target.form === form && target.name && !isText(target) && target.id !== "spaces" && !target.closest(".predict")) tokenize();
});

document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey }) => {
  if (target.form === form && key === "Enter" && (ctrlKey || metaKey)) tokenize();
});
