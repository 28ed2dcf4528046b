// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../picker.js";
import "../folder/sending.js";
import "../folder/search.js";
import "../tables.js";
