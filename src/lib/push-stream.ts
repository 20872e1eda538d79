/** The receiver of a response's bytes. */
export interface Sink {
  /** Returns a promise if the reader is behind: the writer must wait for it, or memory fills up. */
  write(bytes: Uint8Array | string): void | Promise<void>;
}

/** Writes a whole body. Its result ends the body or cuts the connection; an error cuts it too. */
type Fill = (sink: Sink) => Promise<"end" | "cut">;

/** A response body for pushed bytes. `fill` starts when the body is sent. */
export function pushStream(fill: Fill): ReadableStream<Uint8Array> {
  return new ReadableStream(new PushSource(fill));
}

/**
 * Bun's direct streams write to the socket without a queue. Their `write`
 * returns a promise if the socket is full, which is enough for back-pressure.
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
    // The runtime cuts the connection at any rejection, and prints those with a reason.
    if (end === "cut") await Promise.reject();
    controller.close();
  }

  write(bytes: Uint8Array | string): void | Promise<void> {
    const written: number | Promise<number> | undefined = this.#controller?.write(bytes);
    return written instanceof Promise ? written.then(ignore) : undefined;
  }
}

function ignore(): void {}
