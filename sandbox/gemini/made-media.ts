import { SAMPLE_RATE_HZ, tonePcm16 } from "#sandbox/engine/tone.ts";
import { countTokens } from "#sandbox/engine/tokens.ts";
import type { Portion } from "./portions.ts";

/** A tone as long as the words would be, in portions of half a second. */
export function* spokenPortions(text: string): Generator<Portion> {
  if (text === "") return;
  const pcm = tonePcm16(Math.min(MAX_SECONDS, 0.2 + 0.2 * countTokens(text)));
  for (let at = 0; at < pcm.length; at += PORTION_BYTES) {
    const samples = pcm.subarray(at, at + PORTION_BYTES);
    const seconds = samples.length / BYTES_PER_SECOND;
    yield {
      part: {
        inlineData: {
          mimeType: `audio/L16;codec=pcm;rate=${SAMPLE_RATE_HZ}`,
          data: Buffer.from(samples).toString("base64"),
        },
      },
      thoughts: 0,
      answer: Math.ceil(seconds * TOKENS_PER_SECOND),
    };
  }
}

const BYTES_PER_SECOND = SAMPLE_RATE_HZ * 2;
const PORTION_BYTES = BYTES_PER_SECOND / 2;
const TOKENS_PER_SECOND = 25;
const MAX_SECONDS = 30;
