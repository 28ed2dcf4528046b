// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../picker.js";
import "../train/files.js";
import "../train/languages.js";
import "../tables.js";
import "../surgery/refusal.js";
import "../session.js";
