// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../pipeline/address.js";
import "../learn/boxes.js";
