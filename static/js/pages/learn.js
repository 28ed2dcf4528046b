// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../learn/progress.js";
import "../learn/boxes.js";
