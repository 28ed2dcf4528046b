// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../learn/write_it.js";
