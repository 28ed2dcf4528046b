// The behaviours of a page, in the order in which they begin. What is pasted here may be secret: no module that keeps it.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../typing.js";
import "../examples.js";
import "../files.js";
import "../playground/keyboard.js";
import "../turns/pointing.js";
import "../turns/address.js";
