// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../picker.js";
import "../tokenizers/add.js";
import "../tables.js";
import "../conformance/run.js";
