// Send a form without leaving the page, again and again until the server has taken or refused it. Of the same choice
// only the last one counts.

const AGAIN = 1_000; // milliseconds until the next try
const pending = new Map();

async function attempt(action, body) {
  try {
    // The answer of a form is a redirection, which needs not be followed.
    const answer = await fetch(action, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.ok) return "taken";
    return answer.status === 429 || answer.status >= 500 ? "later" : "refused";
  } catch {
    return "later";
  }
}

export async function send(key, action, body, onState = () => {}) {
  const mine = Symbol("sent");
  pending.set(key, mine);
  for (;;) {
    const state = await attempt(action, body);
    if (pending.get(key) !== mine) return "replaced";
    onState(state);
    if (state !== "later") return state;
    await new Promise((done) => setTimeout(done, AGAIN * (0.5 + Math.random())));
    if (pending.get(key) !== mine) return "replaced";
  }
}
