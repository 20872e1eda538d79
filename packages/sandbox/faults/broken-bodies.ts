import type { Frame } from "../wire/frame.ts";
import type { Faults } from "./faults.ts";

/** The events of a stream, fewer or other than the vendor meant. */
export function* faultyFrames(
  frames: Iterable<Frame>,
  faults: Faults,
  errorFrames: () => readonly Frame[],
): Generator<Frame> {
  const { truncate, streamerror, malformed } = faults;
  let index = 0;

  for (const frame of frames) {
    const isEnd = frame.kind === "finish" || frame.kind === "done";
    if (truncate && (isEnd || index >= truncate.events)) return;
    if (streamerror && (isEnd || index >= streamerror.after)) {
      yield* errorFrames();
      return;
    }
    if (faults.nodone && frame.kind === "done") return;
    yield malformed?.at === index ? { ...frame, data: broken(frame.data, malformed.kind) } : frame;
    index++;
  }
}

/** The same for a body in one piece. */
export function faultyBytes(bytes: Uint8Array, { truncate, malformed }: Faults): Uint8Array {
  if (truncate) return bytes.subarray(0, Math.floor(bytes.length / 2));
  if (!malformed) return bytes;
  if (malformed.kind !== "nul") return bytes.subarray(0, -1);
  const middle = Math.floor(bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, middle), new Uint8Array(1), bytes.subarray(middle)]);
}

function broken(data: string, kind: NonNullable<Faults["malformed"]>["kind"]): string {
  if (kind === "json") return data.slice(0, -1);
  return kind === "nul"
    ? `${data.slice(0, data.length / 2)}\0${data.slice(data.length / 2)}`
    : data;
}
