// Open the text in Steps, at the step that made a token. The text travels behind the # of the address.

import { currentText } from "../files.js";
import { pack } from "../pack.js";

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-steps]");
  if (!button) return;
  const data = new FormData(document.getElementById("lab"));
  const state = [["branch", "encode"], ["text", await currentText()], ["tokenizer", data.get("tokenizer")], ["step", button.dataset.steps]];
  if (data.get("special") === "parse") state.push(["special", "1"]);
  location.href = `/steps#${await pack(state)}`;
});
