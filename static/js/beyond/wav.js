// A WAV of 16 bits at 16 kHz from any sound that the browser can decode. Nothing is sent.

const RATE = 16_000;

export async function toWav(data, name) {
  const context = new OfflineAudioContext(1, 1, RATE); // decodes to its own rate
  const decoded = await context.decodeAudioData(data);
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, at) => decoded.getChannelData(at));
  const view = new DataView(new ArrayBuffer(44 + 2 * decoded.length));
  const text = (at, letters) => [...letters].forEach((letter, by) => view.setUint8(at + by, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * decoded.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // integers
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, RATE, true);
  view.setUint32(28, 2 * RATE, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * decoded.length, true);
  for (let at = 0; at < decoded.length; at++) {
    const sample = channels.reduce((sum, channel) => sum + channel[at], 0) / channels.length;
    view.setInt16(44 + 2 * at, Math.round(32767 * Math.max(-1, Math.min(1, sample))), true);
  }
  return { file: new File([view], name, { type: "audio/wav" }), seconds: decoded.length / RATE };
}
