import type { Chunk } from "./chunks.ts";
import type { Frame } from "./frame.ts";

/**
 * The data of all frames as one JSON array, each element as soon as it is
 * there. A frame of the kind "done" closes it, and so does an error; without
 * either it stays open.
 */
export function* writeArray(frames: Iterable<Frame>): Generator<Chunk> {
  const encoder = new TextEncoder();
  let before = "[";
  for (const { kind, data, tokens } of frames) {
    if (kind === "done") {
      yield { bytes: encoder.encode(before === "[" ? "[]" : "]"), events: 0, tokens: 0 };
      return;
    }
    const end = kind === "error" ? "\n]" : "\n";
    yield { bytes: encoder.encode(`${before}${data}${end}`), events: 1, tokens };
    before = ",\r\n";
  }
}
