// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../tables.js";
