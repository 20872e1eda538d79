import { SAMPLE_RATE_HZ } from "../tone.ts";

/** A text as sound: a tone a letter, of the letter's own height, and silence between words. */
export function letterTones(text: string, voiceHz: number, speed: number): Uint8Array {
  const letterSamples = Math.round((SAMPLE_RATE_HZ * LETTER_SECONDS) / speed);
  const most = Math.floor((MAX_SECONDS * SAMPLE_RATE_HZ) / letterSamples);
  const letters = [...text].slice(0, most);
  // A recording is never without any sound.
  const count = Math.max(letters.length, 2);
  const samples = new Int16Array(count * letterSamples);
  for (const [index, letter] of letters.entries()) {
    const heightHz = heightOf(letter, voiceHz);
    if (heightHz === undefined) continue;
    const start = index * letterSamples;
    for (let at = 0; at < letterSamples; at++) {
      const fade = Math.min(1, at / FADE_SAMPLES, (letterSamples - at) / FADE_SAMPLES);
      const wave = Math.sin((2 * Math.PI * heightHz * at) / SAMPLE_RATE_HZ);
      samples[start + at] = Math.round(wave * fade * LOUDNESS);
    }
  }
  return littleEndian(samples);
}

const LETTER_SECONDS = 0.06;
const MAX_SECONDS = 300;
const LOUDNESS = 8_000;
/** Five milliseconds, so that a tone begins and ends without a click. */
const FADE_SAMPLES = 120;

/** Steps of a quarter tone; what is neither a letter nor a digit is a pause. */
function heightOf(letter: string, voiceHz: number): number | undefined {
  if (!/[\p{L}\p{N}]/u.test(letter)) return undefined;
  const step = (letter.toLowerCase().codePointAt(0) ?? 0) % 26;
  return voiceHz * 2 ** (step / 24);
}

function littleEndian(samples: Int16Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (const [index, sample] of samples.entries()) view.setInt16(index * 2, sample, true);
  return new Uint8Array(view.buffer);
}
