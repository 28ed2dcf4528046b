// What is a lecture: a title and items. An item is a page of this site by its address, or a text slide without one.

export const MAX_ITEMS = 200;
const LONGEST = { title: 200, address: 20_000, text: 20_000, notes: 20_000, picture: 700_000 }; // characters
const MOST_MINUTES = 999;
const shorten = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function parse(address) {
  try {
    return new URL(address, `${location.origin}/`);
  } catch {
    return null;
  }
}

// A lecture in a lecture would have itself as an item without end.
export const isLecture = (address) => /^\/lecture(\/|$)/.test(parse(address)?.pathname);

// The address as path, query and fragment. Throw an Error that says why it is none.
export function checkAddress(address) {
  const url = parse(address);
  if (!address || url?.origin !== location.origin) throw new Error(`“${shorten(address)}” is no address of this site; one begins with ${location.origin}/ or with /.`);
  if (url.pathname.startsWith("//")) throw new Error(`“${shorten(address)}” begins with two slashes; an address of this site begins with one.`);
  if (isLecture(address)) throw new Error("A lecture cannot be an item of a lecture.");
  return url.pathname + url.search + url.hash;
}

function checkText(item, name) {
  const text = item[name] ?? "";
  if (typeof text !== "string") throw new Error(`“${name}” must be a text.`);
  if (text.length > LONGEST[name]) throw new Error(`“${name}” has ${text.length.toLocaleString("en")} characters, at most ${LONGEST[name].toLocaleString("en")} are allowed.`);
  return text;
}

export function checkItem(item) {
  if (!item || typeof item !== "object" || Array.isArray(item)) throw new Error("an item must be an object with “address” or “text”.");
  const [address, title, text, notes, picture] = ["address", "title", "text", "notes", "picture"].map((name) => checkText(item, name));
  const { minutes = 0, steps = "all" } = item;
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES) throw new Error(`“minutes” must be a whole number from 0 to ${MOST_MINUTES}.`);
  if (!["all", "one"].includes(steps)) throw new Error("“steps” must be “all” or “one”.");
  if (picture && !/^data:image\/[\w.+-]+;base64,[\w+/]+=*$/.test(picture)) throw new Error("“picture” must be a picture as a data URL.");
  return { address: address && checkAddress(address), title, text, notes, minutes, steps, ...(picture && { picture }) };
}

// A lecture with these fields alone. Throw an Error that names the item and says what is wrong with it.
export function checkLecture(data) {
  if (!Array.isArray(data?.items)) throw new Error("It is no lecture: it needs “title” and a list “items”.");
  if (data.items.length > MAX_ITEMS) throw new Error(`It has ${data.items.length} items, at most ${MAX_ITEMS} are allowed.`);
  const items = data.items.map((item, at) => {
    try {
      return checkItem(item);
    } catch (error) {
      throw new Error(`Item ${at + 1}: ${error.message}`);
    }
  });
  return { title: checkText(data, "title") || "Lecture", items };
}
