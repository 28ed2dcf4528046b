// Files dropped anywhere on the page are files to learn from.

import { onDrop } from "../drop.js";

const input = document.getElementById("files");

onDrop((files) => {
  input.files = files;
  input.focus();
});
