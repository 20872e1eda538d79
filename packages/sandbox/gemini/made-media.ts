import { SAMPLE_RATE_HZ, tonePcm16 } from "../engine/tone.ts";
import { countTokens } from "../engine/tokens.ts";
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

/** A file that begins as a film does and shows nothing: its length is said in tokens. */
export function* filmedPortions(): Generator<Portion> {
  const data = Buffer.concat([box("ftyp", "isom\x00\x00\x02\x00isommp41"), box("mdat", "")]);
  yield {
    part: { inlineData: { mimeType: "video/mp4", data: data.toString("base64") } },
    thoughts: 0,
    answer: FILM_TOKENS,
  };
}

function box(type: string, content: string): Buffer {
  const body = Buffer.from(type + content, "latin1");
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length + 4);
  return Buffer.concat([size, body]);
}

const FILM_TOKENS = 4_640;
