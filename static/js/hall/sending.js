// Send a form without leaving the page, again and again until the server has taken or refused it. Of the same choice
// only the last one counts.

const AGAIN = 1_000; // milliseconds until the next try, where the server names no other time
const pending = new Map();

async function attempt(action, body) {
  try {
    // The answer of a form is a redirection, which needs not be followed.
    const answer = await fetch(action, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.ok) return ["taken"];
    const state = answer.status === 429 ? "full" : answer.status >= 500 ? "later" : "refused";
    return [state, 1_000 * answer.headers.get("Retry-After")];
  } catch {
    return ["later", 0];
  }
}

export async function send(key, action, body, onState = () => {}) {
  const mine = Symbol("sent");
  pending.set(key, mine);
  for (;;) {
    const [state, wait] = await attempt(action, body);
    if (pending.get(key) !== mine) return "replaced";
    onState(state);
    if (state === "taken" || state === "refused") return state;
    await new Promise((done) => setTimeout(done, wait + AGAIN * (0.5 + Math.random())));
    if (pending.get(key) !== mine) return "replaced";
  }
}
