/**
 * Threads of closed SQLite writers serve the next gateway of a test process: starting one takes
 * a quarter of the time of a gateway's start. `npm test` loads this file before the tests.
 */
const NAME = "sluice-writer";
/** Few gateways of one test run at the same time. */
const MAX_SPARE = 4;

const Plain = globalThis.Worker;
const spare: ReusableThread[] = [];

class ReusableThread extends Plain {
  /** Requests without a reply yet. */
  #open = 0;
  #isClosing = false;
  /** Whether its database is closed: only such a thread is like a new one. */
  #isClosed = false;
  #listeners: Parameters<Worker["removeEventListener"]>[] = [];

  constructor(url: string | URL, options: WorkerOptions) {
    super(url, options);
    super.addEventListener("message", ({ data }: MessageEvent<object>) => {
      this.#open -= 1;
      this.#isClosed = this.#isClosing && !("failure" in data);
    });
    super.addEventListener("close", () => remove(this));
  }

  override postMessage(message: unknown): void {
    super.postMessage(message);
    this.#open += 1;
    this.#isClosed = false;
    this.#isClosing = isClose(message);
  }

  override addEventListener(...args: Parameters<Worker["addEventListener"]>): void {
    super.addEventListener(...args);
    this.#listeners.push([args[0], args[1]]);
  }

  override terminate(): void {
    if (this.#open > 0 || !this.#isClosed || spare.length >= MAX_SPARE) {
      super.terminate();
      return;
    }
    for (const listener of this.#listeners.splice(0)) this.removeEventListener(...listener);
    this.onmessage = null;
    this.onerror = null;
    // A spare thread does not keep the process alive.
    this.unref();
    spare.push(this);
  }
}

globalThis.Worker = new Proxy(Plain, {
  construct(target, [url, options]: [string | URL, WorkerOptions?]) {
    if (options?.name !== NAME) return new target(url, options);
    const thread = spare.pop();
    thread?.ref();
    return thread ?? new ReusableThread(url, options);
  },
});

function remove(thread: ReusableThread): void {
  const place = spare.indexOf(thread);
  if (place !== -1) spare.splice(place, 1);
}

function isClose(message: unknown): boolean {
  return (
    typeof message === "object" && message !== null && "type" in message && message.type === "close"
  );
}
