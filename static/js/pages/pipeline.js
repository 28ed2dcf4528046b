// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../typing.js";
import "../picker.js";
import "../pictures.js";
import "../session.js";
import "../pipeline/lighting.js";
import "../pipeline/arrows.js";
import "../pipeline/moving.js";
import "../pipeline/address.js";
import "../pipeline/copying.js";
import "../tokenizers/add.js";
import "../lecture/add.js";
