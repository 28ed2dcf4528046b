// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../lecture/list.js";
import "../lecture/moving.js";
import "../lecture/edit.js";
import "../lecture/sharing.js";
