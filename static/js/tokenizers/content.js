// Detect by content whether files are a tokenizer, as the server does, from the first bytes of each.

const HEAD = 65_536;
const GGUF_HEAD = 64 * 1024 * 1024; // the vocabulary comes first in a GGUF file, before gigabytes of weights
const KEYS = /"(model|added_tokens|bpe_ranks|tokenizer_class|default_vocab_size|special_tokens|bos_token|eos_token|unk_token)"\s*:/;
const SIGNS = [
  (text) => text.startsWith("GGUF") || text.startsWith("PK\u0003\u0004") || text.startsWith("minbpe v") || text.startsWith("#version: 0."),
  (text) => text[0] === "\n" && text[2] === "\n" && text.slice(0, 64).includes("\u0015"), // SentencePiece
  (text) => /^\s*\{/.test(text) && (KEYS.test(text) || /^\s*\{\s*"[^"\n]*"\s*:\s*\d+\s*,\s*"/.test(text)),
  (text) => /^(?:[A-Za-z0-9+/]+={0,2} \d+\r?\n){3}/.test(text), // tiktoken ranks
  (text) => /^\[(?:PAD|UNK)\]\r?$/m.test(text), // vocab.txt
];

async function isTokenizer(file) {
  try {
    const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    const text = new TextDecoder("latin1").decode(bytes);
    return SIGNS.some((sign) => sign(text));
  } catch {
    return false; // a folder, or a file that is gone
  }
}

export async function areTokenizer(files) {
  const verdicts = await Promise.all([...files].map(isTokenizer));
  return verdicts.includes(true);
}

export async function shortened(file) {
  const magic = new TextDecoder("latin1").decode(await file.slice(0, 4).arrayBuffer());
  return magic === "GGUF" && file.size > GGUF_HEAD ? file.slice(0, GGUF_HEAD) : file;
}
