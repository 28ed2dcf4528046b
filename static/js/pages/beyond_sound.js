// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../beyond/sound_address.js";
import "../beyond/own_sound.js";
import "../steps/predict.js";
import "../tables.js";
