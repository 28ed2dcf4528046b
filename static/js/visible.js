// How a token is spelled where its white space and its bytes are to be seen.

const NAMES = { " ": "·", "\n": "↵", "\t": "→", "\r": "CR" };

export const visible = (text) => text.replace(/[ \n\t\r]/g, (char) => NAMES[char]);
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ");
