// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../typing.js";
import "../beyond/rows.js";
import "../pipeline/address.js";
