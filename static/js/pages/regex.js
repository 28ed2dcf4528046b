// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../editing.js";
import "../regex/checks.js";
import "../regex/fill.js";
import "../regex/keep.js";
import "../regex/lighting.js";
import "../picker.js";
import "../link.js";
import "../session.js";
import "../lecture/add.js";
import "../tables.js";
