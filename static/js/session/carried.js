// What a tab has taken along to this page, once: the text, the tokenizer and the policy for special tokens.

const KEY = "tokenarium";

export function takeCarried() {
  try {
    const { carried, ...state } = JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    if (carried !== location.pathname) return undefined;
    sessionStorage.setItem(KEY, JSON.stringify(state));
    return state;
  } catch {
    return undefined;
  }
}
