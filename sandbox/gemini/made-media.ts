import { paint } from "#sandbox/engine/picture.ts";
import { SAMPLE_RATE_HZ, tonePcm16 } from "#sandbox/engine/tone.ts";
import { countTokens } from "#sandbox/engine/tokens.ts";
import type { Model } from "./models.ts";
import type { Output } from "./output.ts";
import type { Portion } from "./portions.ts";

/** A picture of the right measures, the same for the same words. */
export function* drawnPortions(
  asked: string,
  { aspectRatio, size }: Output["picture"],
  { generation }: Model,
  signature: string | undefined,
): Generator<Portion> {
  const [across = 1, down = 1] = aspectRatio.split(":").map(Number);
  const side = (SIDES[size] ?? 1_024) * Math.sqrt(across / down);
  const width = Math.round(side / 32) * 32;
  const height = Math.round(((side / across) * down) / 32) * 32;
  const data = Buffer.from(paint(width, height, asked)).toString("base64");
  yield {
    part: {
      inlineData: { mimeType: "image/png", data },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    },
    thoughts: 0,
    answer: generation === "3" ? (size === "4K" ? 2_000 : 1_120) : 1_290,
  };
}

const SIDES: Readonly<Record<string, number>> = { "1K": 1_024, "2K": 2_048, "4K": 4_096 };

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
