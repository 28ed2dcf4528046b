// What a tab has taken along to this page, once: the text, the tokenizer and the policy for special tokens.

import { KEY, stored } from "./stored.js";

export function takeCarried() {
  const { carried, ...state } = stored();
  if (carried !== location.pathname) return undefined;
  sessionStorage.setItem(KEY, JSON.stringify(state));
  return state;
}
