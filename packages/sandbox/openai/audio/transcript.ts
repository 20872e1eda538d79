import { describeMedia } from "@sluice/sandbox/engine/media.ts";
import type { Sound } from "@sluice/sandbox/engine/sound/read-sound.ts";

/** Text of a recording, with times. */
export interface Transcript {
  readonly text: string;
  readonly seconds: number;
  readonly segments: readonly Spoken[];
  readonly words: readonly Spoken[];
}

export interface Spoken {
  readonly text: string;
  /** In seconds from the beginning. */
  readonly start: number;
  readonly end: number;
}

/** The words that a recording carries, or else what can be told of it. */
export function transcribe(sound: Sound, name: string, sizeBytes: number): Transcript {
  const seconds = sound.seconds ?? sizeBytes / USUAL_BYTES_PER_SECOND;
  const described = describeMedia({
    kind: "audio",
    name,
    sizeBytes,
    mediaType: sound.mediaType,
    seconds,
  });
  const said = sound.words?.trim() ?? "";
  const text = said === "" ? `This is ${described}.` : said;
  return {
    text,
    seconds,
    segments: timed(text.match(/[^.!?\n]+[.!?]*\s*|[.!?\n]+\s*/g) ?? [], seconds),
    words: timed(text.match(/\S+\s*/g) ?? [], seconds),
  };
}

/** Where a file does not say how long it is. */
const USUAL_BYTES_PER_SECOND = 16_000;

/** Every letter takes the same time. */
function timed(parts: readonly string[], seconds: number): readonly Spoken[] {
  const total = Math.max(1, parts.join("").length);
  let before = 0;
  const at = () => Number(((before / total) * seconds).toFixed(2));
  return parts.flatMap((part) => {
    const start = at();
    before += part.length;
    const text = part.trim();
    return text === "" ? [] : [{ text, start, end: at() }];
  });
}
