/** A quiet sine tone: 16 bit mono samples, little endian, without a header. */
export function tonePcm16(seconds: number, frequencyHz = 440): Uint8Array {
  const samples = Math.round(Math.min(seconds, MAX_SECONDS) * SAMPLE_RATE_HZ);
  const view = new DataView(new ArrayBuffer(samples * 2));
  for (let index = 0; index < samples; index++) {
    const fade = Math.min(1, index / FADE_SAMPLES, (samples - index) / FADE_SAMPLES);
    const wave = Math.sin((2 * Math.PI * frequencyHz * index) / SAMPLE_RATE_HZ);
    view.setInt16(index * 2, Math.round(wave * fade * 8_000), true);
  }
  return new Uint8Array(view.buffer);
}

export const SAMPLE_RATE_HZ = 24_000;
const MAX_SECONDS = 60;
/** Ten milliseconds, so that the tone begins and ends without a click. */
const FADE_SAMPLES = 240;

/** The same samples as a WAV file. */
export function wavFile(pcm: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + pcm.length);
  const view = new DataView(bytes.buffer);
  const ascii = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);

  ascii(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + pcm.length, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, "data");
  view.setUint32(40, pcm.length, true);
  bytes.set(pcm, HEADER_BYTES);
  return bytes;
}

const HEADER_BYTES = 44;
