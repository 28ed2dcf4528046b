// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../train/job.js";
import "../pictures.js";
