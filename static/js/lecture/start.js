// Begin to present a lecture: a copy of it goes along in this tab, and static/js/lecture/conduct.js leads through it.

import { pack } from "../pack.js";

const addressOf = async ({ address, title, text }) => address || `/lecture/slide#${await pack([["title", title], ["text", text]])}`;

export async function start({ items }, at = 0) {
  const shown = await Promise.all(items.map(async (item) => ({ address: await addressOf(item), title: item.title, notes: item.notes, steps: item.steps })));
  sessionStorage.setItem("tokenarium.lecture", JSON.stringify({ items: shown, at }));
  location.assign(shown[at].address);
}
