// A tar of files, as one Blob that refers to them: nothing is read before it is sent.

const BLOCK = 512;
const encoder = new TextEncoder();
const padding = (size) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

function header(name, size, type) {
  const block = new Uint8Array(BLOCK);
  const put = (text, at) => block.set(typeof text === "string" ? encoder.encode(text) : text, at);
  put(name.slice(0, 100), 0);
  put("0000644\0", 100);
  put(`${size.toString(8).padStart(11, "0")}\0`, 124);
  put("        ", 148); // the checksum counts as spaces
  put(type, 156);
  put("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

// `files` are [path, File]. A path of more than 100 bytes stands before its file, as GNU's tar writes it.
export function makeTar(files) {
  const parts = [];
  for (const [path, file] of files) {
    const name = encoder.encode(path);
    if (name.length > 100) parts.push(header("././@LongLink", name.length, "L"), name, padding(name.length));
    parts.push(header(name, file.size, "0"), file, padding(file.size));
  }
  return new Blob([...parts, new Uint8Array(2 * BLOCK)]);
}
