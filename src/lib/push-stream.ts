/** Where the bytes of an answer go. */
export interface Sink {
  /** A promise where the reader is behind: whoever writes waits for it, or memory fills up. */
  write(bytes: Uint8Array | string): void | Promise<void>;
}

/** Writes a whole body: its end is the body's end, or cuts the connection; so does what it throws. */
type Fill = (sink: Sink) => Promise<"end" | "cut">;

/** A body that is written to as bytes come up. `fill` starts when the body is sent. */
export function pushStream(fill: Fill): ReadableStream<Uint8Array> {
  return new ReadableStream(new PushSource(fill));
}

/**
 * Bun's direct streams write to the socket with no queue in between. Their
 * `write` says by a promise that the socket takes no more, which is all the
 * back-pressure there is, and all it takes.
 */
class PushSource implements Bun.DirectUnderlyingSource<Uint8Array>, Sink {
  readonly type = "direct";
  readonly #fill: Fill;
  #controller: ReadableStreamDirectController | undefined;

  constructor(fill: Fill) {
    this.#fill = fill;
  }

  async pull(controller: ReadableStreamDirectController): Promise<void> {
    this.#controller = controller;
    const end = await this.#fill(this);
    // The runtime cuts it at any failure, and prints those that have a reason.
    if (end === "cut") await Promise.reject();
    controller.close();
  }

  write(bytes: Uint8Array | string): void | Promise<void> {
    const written: number | Promise<number> | undefined = this.#controller?.write(bytes);
    return written instanceof Promise ? written.then(ignore) : undefined;
  }
}

function ignore(): void {}
