// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../examples.js";
import "../files.js";
import "../picker.js";
import "../link.js";
import "../detokenize/ids_of_text.js";
import "../tables.js";
