// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../learn/examples.js";
import "../learn/player.js";
import "../steps/predict.js";
import "../steps/motion.js";
import "../learn/progress.js";
import "../learn/boxes.js";
import "../learn/folds.js";
import "../learn/notes.js";
import "../pictures.js";
import "../link.js";
import "../lecture/add.js";
