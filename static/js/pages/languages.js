// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../picker.js";
import "../languages/address.js";
import "../languages/sort.js";
import "../languages/seek.js";
import "../languages/map.js";
import "../tables.js";
