// The page opens before anything is counted, since that may load many vocabularies; then it counts.

import { tokenize } from "./typing.js";

if (document.querySelector("[data-uncounted]")) tokenize();
