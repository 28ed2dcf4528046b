// The text area takes its direction from its text. With dir="auto" the browser spends seconds on a very long line, so the
// direction of long texts is set here, from their beginning.

const form = document.getElementById("lab");
const text = document.getElementById("text");
const LONG_TEXT = 5_000; // characters
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

function direct(length, beginning) {
  const dir = length <= LONG_TEXT ? "auto" : RIGHT_TO_LEFT.test(beginning) ? "rtl" : "ltr";
  if (text.dir !== dir) text.dir = dir;
}

text.addEventListener("beforeinput", ({ data }) => {
  if (data) direct(text.textLength + data.length, text.textLength ? text.value.slice(0, 1000) : data.slice(0, 1000));
});

for (const [where, event] of [[text, "input"], [form, "tokenize"]]) {
  where.addEventListener(event, () => direct(text.textLength, text.value.slice(0, 1000)));
}
