// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../typing.js";
import "../beyond/live.js";
import "../pipeline/address.js";
import "../steps/predict.js";
