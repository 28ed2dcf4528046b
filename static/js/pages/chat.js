// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../typing.js";
import "../chat/ends.js";
import "../picker.js";
import "../pictures.js";
import "../link.js";
import "../session.js";
import "../copy.js";
import "../tokenizers/add.js";
import "../lecture/add.js";
import "../tables.js";
