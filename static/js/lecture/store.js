// The lectures that this browser keeps, and which of them is edited. They are never sent to the server.

import { checkItem, checkLecture, isLecture, MAX_ITEMS } from "./checks.js";

export const KEY = "tokenarium.lectures";
const NONE = () => ({ at: 0, lectures: [{ title: "My lecture", items: [] }] });
let unsaved = null; // where the browser keeps nothing, they last as long as the page

export function read() {
  try {
    const { at, lectures } = unsaved ?? JSON.parse(localStorage.getItem(KEY));
    const all = lectures.map(({ title, items }) => checkLecture({ title, items: items.filter(({ address }) => !isLecture(address)) }));
    return all.length ? { at: Math.min(Math.max(Number(at) || 0, 0), all.length - 1), lectures: all } : NONE();
  } catch {
    return NONE();
  }
}

// Return whether the browser keeps them.
export function write(state) {
  try {
    localStorage.setItem(KEY, JSON.stringify(state));
    unsaved = null;
  } catch {
    unsaved = state;
  }
  return !unsaved;
}

export const current = ({ at, lectures } = read()) => lectures[at];

// Add an item to the lecture that is edited and return its number and the title of the lecture.
export function add(item) {
  const state = read();
  const { title, items } = current(state);
  if (items.length >= MAX_ITEMS) throw new Error(`“${title}” has ${MAX_ITEMS} items already.`);
  items.push(checkItem(item));
  if (!write(state)) throw new Error("this browser keeps nothing here, or its storage is full.");
  return { number: items.length, title };
}
