/** Where the bytes of an answer go. */
export interface Sink {
  /** A promise where the reader is behind: whoever writes waits for it, or memory fills up. */
  write(bytes: Uint8Array | string): void | Promise<void>;
}

/**
 * A body that is written to as bytes come up. `fill` starts when the body is
 * sent, and its end is the body's end, or cuts the connection; so does what
 * it throws.
 *
 * Bun's direct streams write to the socket with no queue in between. Their
 * `write` says by a promise that the socket takes no more, which is all the
 * back-pressure there is, and all it takes.
 */
export function pushStream(
  fill: (sink: Sink) => Promise<"end" | "cut">,
): ReadableStream<Uint8Array> {
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    async pull(controller) {
      const end = await fill({
        write(bytes) {
          const written: number | Promise<number> = controller.write(bytes);
          return typeof written === "number" ? undefined : written.then(ignore);
        },
      });
      // The runtime cuts it at any failure, and prints those that have a reason.
      if (end === "cut") await Promise.reject();
      controller.close();
    },
  };
  return new ReadableStream(source);
}

function ignore(): void {}
