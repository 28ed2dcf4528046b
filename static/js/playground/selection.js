// What is copied from the tokens is the text itself: without the bytes of split characters and the marks of special tokens.

import { result } from "../part.js";

const NOT_TEXT = ".parts, .inserted, .window-range, .notes, h2, h3";

document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || !result.contains(selection.anchorNode) || !result.contains(selection.focusNode)) return;
  if (!result.querySelector(".window > .text")) return;
  const copied = selection.getRangeAt(0).cloneContents();
  for (const one of copied.querySelectorAll(NOT_TEXT)) one.remove();
  const windows = [...copied.querySelectorAll(".text")];
  const text = windows.length ? windows.map((one) => one.textContent).join("") : copied.textContent;
  event.clipboardData.setData("text/plain", text.replaceAll("\u200B", ""));
  event.preventDefault();
});
