import type { Faults } from "../faults/faults.ts";
import type { Chunk } from "./chunks.ts";
import type { Frame } from "./frame.ts";
import { writeArray } from "./json-array.ts";
import type { StreamForm } from "./reply.ts";

/** Server-sent events, in the usual framing or in one of the unusual ones; or an array of their data. */
export function* writeFrames(
  frames: Iterable<Frame>,
  faults: Faults,
  form: StreamForm = "lf",
): Generator<Chunk> {
  if (form === "array") return yield* writeArray(frames);
  const encoder = new TextEncoder();
  const newline = faults.cr ? "\r" : faults.crlf || form === "crlf" ? "\r\n" : "\n";
  const colon = faults.nospace ? ":" : ": ";
  let index = 0;

  for (const frame of frames) {
    const isBroken = faults.malformed?.at === index;
    const lines = [
      ...(frame.event === undefined ? [] : [`event${colon}${frame.event}`]),
      ...frame.data.split("\n").map((line) => `data${colon}${line}`),
      ...(isBroken && faults.malformed?.kind === "field"
        ? ["data", "nonsense without a colon"]
        : []),
    ];
    const isUnended = isBroken && faults.malformed?.kind === "blankline";
    const comment = faults.comments ? `: PING${newline}${newline}` : "";
    const mark = faults.bom && index === 0 ? "\uFEFF" : "";
    const text = `${mark}${comment}${lines.join(newline)}${newline}${isUnended ? "" : newline}`;
    index++;
    yield { bytes: encoder.encode(text), events: 1, tokens: frame.tokens };
  }
}
