// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../examples.js";
import "../files.js";
import "../picker.js";
import "../compare/choice.js";
import "../compare/arriving.js";
import "../compare/lanes.js";
import "../compare/table.js";
import "../pictures.js";
import "../link.js";
import "../session.js";
import "../compare/many.js";
import "../tokenizers/add.js";
import "../lecture/add.js";
import "../tables.js";
