import { countTokens } from "../engine/tokens.ts";
import { wavFile } from "../engine/sound/wav.ts";
import { SAMPLE_RATE_HZ, tonePcm16 } from "../engine/tone.ts";
import { newId } from "./ids.ts";

/** A spoken answer: a tone that lasts as long as the words would. */
export interface Speech {
  readonly id: string;
  readonly expiresAt: number;
  readonly pcm: Uint8Array;
  readonly tokens: number;
}

export function speak(transcript: string, createdAt: number): Speech {
  const seconds = Math.min(MAX_SECONDS, 0.2 + 0.2 * countTokens(transcript));
  const pcm = tonePcm16(seconds);
  return {
    id: newId("audio_", 32),
    expiresAt: createdAt + 3_600,
    pcm,
    tokens: Math.ceil(seconds * TOKENS_PER_SECOND),
  };
}

const MAX_SECONDS = 30;
const TOKENS_PER_SECOND = 20;

export function encodeSpeech({ pcm }: Speech, format: "wav" | "pcm16"): string {
  return Buffer.from(format === "wav" ? wavFile(pcm) : pcm).toString("base64");
}

/** The samples in portions of a fifth of a second, each with its share of the tokens. */
export function* speechParts({
  pcm,
  tokens,
}: Speech): Generator<{ readonly data: string; readonly tokens: number }> {
  const partBytes = (SAMPLE_RATE_HZ * 2) / 5;
  let left = tokens;
  for (let at = 0; at < pcm.length; at += partBytes) {
    const isLast = at + partBytes >= pcm.length;
    const share = isLast ? left : Math.min(left, TOKENS_PER_SECOND / 5);
    left -= share;
    yield { data: Buffer.from(pcm.subarray(at, at + partBytes)).toString("base64"), tokens: share };
  }
}
