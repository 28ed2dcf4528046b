// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../learn/address.js";
import "../beyond/pairs.js";
import "../beyond/own_image.js";
import "../steps/predict.js";
import "../tables.js";
