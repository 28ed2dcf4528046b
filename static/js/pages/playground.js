// The behaviours of a page, in the order in which they begin.

import "./site.js";
import "../styles.js";
import "../requests.js";
import "../direction.js";
import "../typing.js";
import "../examples.js";
import "../files.js";
import "../picker.js";
import "../playground/opening.js";
import "../playground/options.js";
import "../playground/view_options.js";
import "../playground/heights.js";
import "../playground/windows.js";
import "../playground/keyboard.js";
import "../playground/inspector.js";
import "../playground/embed.js";
import "../playground/play.js";
import "../playground/selection.js";
import "../playground/models.js";
import "../pictures.js";
import "../link.js";
import "../session.js";
import "../copy.js";
import "../tokenizers/add.js";
import "../lecture/add.js";
