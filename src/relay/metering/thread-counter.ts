import type { CountAnswer, CountQuestion } from "./token-thread.ts";

/** The part of a worker that the counter uses. */
type Thread = Pick<
  Worker,
  "postMessage" | "ref" | "unref" | "terminate" | "onmessage" | "onerror" | "addEventListener"
>;

interface Waiting {
  readonly answer: PromiseWithResolvers<number>;
  readonly chars: number;
}

/** Counts tokens on one separate thread. */
export class ThreadCounter {
  readonly #open: () => Thread;
  readonly #waiting = new Map<number, Waiting>();
  /** Of all texts with a pending count. */
  waitingChars = 0;
  /** Opened by the first count: its 10 MB are not needed if all upstreams report their usage. */
  #thread: Thread | undefined;
  #lastId = 0;
  /** Questions of this turn of the event loop, for one message: thousands of streams may ask. */
  #unsent: CountQuestion[] = [];

  constructor(open: () => Thread) {
    this.#open = open;
  }

  /** Total tokens of these texts. Rejects if the thread ends meanwhile; the next count opens another. */
  count(texts: readonly string[]): Promise<number> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<number>();
    const chars = texts.reduce((sum, { length }) => sum + length, 0);
    this.#waiting.set(id, { answer, chars });
    this.waitingChars += chars;
    if (this.#unsent.push({ id, texts }) === 1) setImmediate(() => this.#sendAll());
    return answer.promise;
  }

  #sendAll(): void {
    const questions = this.#unsent;
    this.#unsent = [];
    this.#thread ??= this.#openThread();
    this.#thread.postMessage(questions);
    // Keeps the process alive until pending counts are done.
    this.#thread.ref();
  }

  #openThread(): Thread {
    const thread = this.#open();
    thread.onmessage = ({ data }: MessageEvent<readonly CountAnswer[]>) => {
      for (const { id, tokens } of data) {
        this.#waiting.get(id)?.answer.resolve(tokens);
        this.#forget(id);
      }
      if (this.#waiting.size === 0) thread.unref();
    };
    thread.onerror = ({ message }) => {
      this.#drop(thread, message);
      thread.terminate();
    };
    thread.addEventListener("close", () => this.#drop(thread, "its thread closed"));
    return thread;
  }

  #forget(id: number): void {
    this.waitingChars -= this.#waiting.get(id)?.chars ?? 0;
    this.#waiting.delete(id);
  }

  /** Pending counts fall back to an estimate. */
  #drop(thread: Thread, why: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const { answer } of this.#waiting.values()) {
      answer.reject(new Error(`The tokenizer ended: ${why}`));
    }
    this.#waiting.clear();
    this.waitingChars = 0;
  }
}
