// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../editing.js";
import "../picker.js";
import "../steps/page.js";
import "../steps/about.js";
import "../pictures.js";
import "../link.js";
import "../session.js";
import "../tokenizers/add.js";
import "../lecture/add.js";
