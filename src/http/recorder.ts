import type { Sink } from "#lib/push-stream.ts";

interface Recorder {
  /** A sink that remembers what it passes on. */
  tee(sink: Sink): Sink;
  /** All bytes, or `undefined` if they exceeded the limit. */
  recorded(): Uint8Array | undefined;
}

export function recorder(maxBytes: number): Recorder {
  let pieces: Uint8Array[] = [];
  let sizeBytes = 0;

  return {
    tee: (sink) => ({
      write(piece) {
        if (sizeBytes <= maxBytes) remember(piece);
        return sink.write(piece);
      },
    }),
    recorded: () => (sizeBytes > maxBytes ? undefined : Buffer.concat(pieces, sizeBytes)),
  };

  /** A copy: the buffer of a piece may be reused after it was sent. */
  function remember(piece: Uint8Array | string): void {
    const copy = Buffer.from(piece);
    sizeBytes += copy.length;
    if (sizeBytes > maxBytes) pieces = [];
    else pieces.push(copy);
  }
}
