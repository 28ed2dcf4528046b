// An address that this tab has written itself, or whose text was edited since, is no link: its text may be older than
// the one of the session.

export const isOwnAddress = () => Boolean(history.state?.own);

export function ownAddress() {
  if (!isOwnAddress()) history.replaceState({ ...history.state, own: true }, "", location.href);
}
