// Read the tokens and log probabilities of an answer, whichever API gave it: [{ token, bytes, id, logprob, others }] for
// each choice. Throw an Error with a sentence where there are none.

const finite = (number) => typeof number === "number" && Number.isFinite(number);

// llama.cpp gives probabilities where they were taken after sampling.
const logprobOf = ({ logprob, prob, p }) => (finite(logprob) ? logprob : Math.log(prob ?? p ?? NaN));
const nameOf = ({ token, tok_str, content }) => token ?? tok_str ?? content ?? "";
const alternative = (one) => ({ token: String(nameOf(one)), bytes: one.bytes, id: one.id, logprob: logprobOf(one) });

// Chat completions, responses, and llama.cpp: one object for each token.
function fromItems(items) {
  return items.map((one) => {
    const others = (one.top_logprobs ?? one.top_probs ?? one.probs ?? []).map(alternative);
    const token = alternative(one);
    // Older servers of llama.cpp give the probability of a token only among its alternatives.
    if (!finite(token.logprob)) token.logprob = others.find((other) => other.token === token.token)?.logprob ?? NaN;
    return { ...token, others };
  });
}

// Completions: a list of each kind.
function fromColumns({ tokens, token_logprobs: logprobs = [], top_logprobs: tops = [] }) {
  return tokens.map((token, at) => ({
    token,
    logprob: logprobs[at] ?? NaN, // the first token of an echoed prompt has none
    others: Object.entries(tops?.[at] ?? {}).map(([name, logprob]) => ({ token: name, logprob })),
  }));
}

function ofChoice({ logprobs }) {
  if (Array.isArray(logprobs?.tokens)) return fromColumns(logprobs);
  return fromItems([...(logprobs?.content ?? []), ...(logprobs?.refusal ?? [])]);
}

// The choices of one JSON value, by their index.
function choicesOf(value) {
  if (Array.isArray(value)) return value.some((one) => one && "logprob" in one) ? [[0, fromItems(value)]] : value.flatMap(choicesOf);
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value.choices)) return value.choices.map((one, at) => [one.index ?? at, ofChoice(one)]);
  if (Array.isArray(value.completion_probabilities)) return [[0, fromItems(value.completion_probabilities)]];
  if (Array.isArray(value.output)) return [[0, value.output.flatMap((one) => (one.content ?? []).flatMap((part) => fromItems(part.logprobs ?? [])))]];
  if (value.response) return choicesOf(value.response);
  if (value.logprobs) return [[0, Array.isArray(value.logprobs) ? fromItems(value.logprobs) : ofChoice(value)]];
  return [];
}

// The JSON values of a text: one, or those of a stream of events or of JSON Lines.
function valuesOf(text) {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split("\n").map((line) => line.replace(/^data:\s*/, "").trim());
    const values = lines.filter((line) => line.startsWith("{") && line.endsWith("}"));
    if (values.length < 2) throw new Error(`This is not JSON: ${error.message}`);
    return values.map((line) => JSON.parse(line));
  }
}

export function readLogprobs(text) {
  const found = new Map();
  for (const [index, tokens] of valuesOf(text).flatMap(choicesOf)) found.set(index, [...(found.get(index) ?? []), ...tokens]);
  const choices = [...found.values()].filter((tokens) => tokens.length);
  if (!choices.length) throw new Error("This answer has no logprobs. Ask for them with \"logprobs\": true, and \"top_logprobs\": 5 for alternatives.");
  return choices;
}
