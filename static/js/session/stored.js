// What this tab keeps of the text, the tokenizer and the policy for special tokens, in its session storage.

export const KEY = "tokenarium";

export function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}
