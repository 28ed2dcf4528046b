// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../tokenizers/add.js";
import "../tables.js";
import "../tokenizers/filter.js";
