// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../picker.js";
import "../vocabulary/choose.js";
import "../vocabulary/search.js";
import "../vocabulary/rows.js";
import "../vocabulary/marks.js";
import "../vocabulary/minimap.js";
import "../vocabulary/sort.js";
import "../vocabulary/keyboard.js";
import "../vocabulary/entry.js";
