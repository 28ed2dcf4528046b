// Compress a state to a string that is safe behind the # of an address, and back.

// A crafted link may unpack to gigabytes.
export const MAX_UNPACKED = 5_000_000;

// Throw a RangeError, without unpacking the rest, above the limit.
async function through(stream, bytes, limit = Infinity) {
  const parts = [];
  let size = 0;
  for await (const part of read(new Blob([bytes]).stream().pipeThrough(stream).getReader())) {
    size += part.length;
    if (size > limit) throw new RangeError(`More than ${limit} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Not every browser can iterate over a stream itself.
async function* read(reader) {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

export async function pack(state) {
  const small = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  const binary = Array.from(small, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (char) => char.charCodeAt(0)), MAX_UNPACKED);
  return JSON.parse(new TextDecoder().decode(bytes));
}

// The packed state of an address, or "".
export function packed({ hash } = location) {
  const fragment = hash.slice(1);
  return fragment.length >= 8 && /^[\w-]+$/.test(fragment) ? fragment : "";
}
