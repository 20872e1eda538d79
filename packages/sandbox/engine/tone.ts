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
