// The text box takes its direction from its text. Finding it anew for a very long line costs the browser seconds,
// so for long texts it is found once, here.

const form = document.getElementById("lab");
const text = document.getElementById("text");
const MUCH = 5_000;
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

function direct(length, beginning) {
  const dir = length <= MUCH ? "auto" : RIGHT_TO_LEFT.test(beginning) ? "rtl" : "ltr";
  if (text.dir !== dir) text.dir = dir;
}

text.addEventListener("beforeinput", ({ data }) => {
  if (data) direct(text.textLength + data.length, text.textLength ? text.value.slice(0, 1000) : data.slice(0, 1000));
});

for (const [where, event] of [[text, "input"], [form, "tokenize"]]) {
  where.addEventListener(event, () => direct(text.textLength, text.value.slice(0, 1000)));
}
