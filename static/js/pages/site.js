// What every page does.

import "../presenter/page.js";
import "../presenter/tools.js";
import "../menus.js";
import "../terms.js";
import "../download.js";
import "../search_open.js";
import "../near_limit.js";
import "../hall/key.js";
import "../lecture/item.js";
import "../hall/rejoin.js";
