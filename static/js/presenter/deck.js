// What a page shows as slides: each a few elements of the page, copied, so that the page stays as it is. A page that is
// not listed has a slide for each part of its content.

const SLIDES = {
  "page-playground": [[".counts", "#result .text"], [".ids"], [".bytes"], [".tokens"]],
  "page-compare": [[".gist", ".tally"], ...[1, 3, 5, 7].map((at) => [`.col:nth-child(${at})`, `.col:nth-child(${at + 1})`]), ["#summary-title", ".summary"], ["#agreement-title", ".heat"], ["#cost-title", ".cost"], [".differing"]],
  "page-chat": [[".counts", ".chat-legend", ".chat-prompt"], [".chat-table"]],
  "page-languages": [[".map", ".legend", ".headline"], [".ends"], [".scripts .spread"], ["#atlas"], [".spreads"]],
  "page-regex": [[".regex-result > .counts", ".regex-result > .text"], ["#alternatives-title", ".alternatives"], ["#engines-title", ".engines"], ["#tokens-title", ".token-count", ".tokens-of"], ["#backtracking-title", "#backtracking-title ~ :is(p, .warning)"]],
  "page-two-vocabularies": [["h1", ".counts"], ...["script", "length", "moved", "merges", "cost", "special", "only"].map((part) => ["> h2", "> p", "table", ".sides > div:not(.scroll)"].map((one) => `section[aria-labelledby=${part}-title] ${one}`))],
  "page-browser": [[".vocabulary-head h1", ".found", ".heads .row", ":nth-child(1 of .block:not(.waits)) .row:nth-child(-n + 12)"], [".entry .big", ".entry .facts"], [".entry .made"], ["#entry-made-into", "#entry-made-into ~ *"], ["#entry-containing", "#entry-containing ~ *"], ["#entry-variants", "#entry-variants ~ *"]],
  "page-docs": [["h1", ".lede"], ...Array.from({ length: 99 }, (_, at) => [`#operation-${at + 1} > :not(form, .reply)`])],
  "page-conformance": [["h1", ".lede"], [".record"], ["#verdicts"]],
};
SLIDES["page-beyond-pictures"] = [[".counts", ".cut:first-child"], [".cut:last-child"], [".all-models"]];
SLIDES["page-beyond-sound"] = [[".counts", ".spectra"], [".codebooks"], [".token-rows"], [".budgets"]];
SLIDES["page-pipeline"] = [...Array.from({ length: 40 }, (_, at) => [`.bands > div:nth-of-type(${at + 1}) > .system`]), [".outcome"], [".encodings .rows"]];
SLIDES["page-beyond-bytes"] = [[".predict > *"], [".chart .counts", ".cells", ".legend"], [".size-curve"], [".cuts > .cut"], [".moved > *"], [".languages-table"], [".byte-models .fields"]];
SLIDES["page-beyond-concepts"] = [[".predict > *"], [".sentences .counts", ".sentences .units"], [".units-table"], [".mistakes-table"], [".sonar > *"]];
SLIDES["page-train"] = [["h1", ".lede"], [".train-stage", ".train-counts", ".train-charts"], [".train-pieces"]];
for (const page of ["actions", "parameters", "budget"]) SLIDES[`page-${page}`] = [["h1", ".lede"], [".predict", ".counts"], ...Array.from({ length: 12 }, (_, at) => [`#result section:nth-of-type(${at + 1}) > *`])];
const PARTS = "main > :not(.hidden, [hidden], script, .busy), main > .train-form > section, main > #summary > :not(.exports)";

const usable = (one) => one.checkVisibility() || one.closest("details:not([open])");

function copied(one) {
  const copy = one.cloneNode(true);
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["id", "name", "form", "style", "aria-labelledby", "aria-describedby"]) each.removeAttribute(name);
  }
  return copy;
}

// The slides of the page as it is now, each a list of copies.
export function slides() {
  const listed = SLIDES[[...document.body.classList].find((name) => name in SLIDES)];
  const groups = listed?.map((selectors) => selectors.flatMap((selector) => [...document.querySelectorAll(`main ${selector}`)]))
    ?? [...document.querySelectorAll(PARTS)].filter((one) => !one.querySelector(":scope > section")).map((one) => [one]);
  return groups.map((group) => group.filter(usable)).filter((group) => group.some((one) => one.textContent.trim())).map((group) => group.map(copied));
}
