// Compress a state to a string that is safe behind the # of an address, and back.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function pack(state) {
  const small = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  const binary = Array.from(small, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  return JSON.parse(new TextDecoder().decode(bytes));
}

// The packed state of the address, or "".
export function packed() {
  const fragment = location.hash.slice(1);
  return fragment.length >= 8 && /^[\w-]+$/.test(fragment) ? fragment : "";
}
