import { expect, test } from "bun:test";
import type { CountQuestion } from "./token-thread.ts";
import { ThreadCounter } from "./thread-counter.ts";

/** A thread that the test answers for. */
class FakeThread {
  readonly questions: CountQuestion[][] = [];
  readonly calls: string[] = [];
  onmessage: Worker["onmessage"] = null;
  onerror: Worker["onerror"] = null;
  #onClose: (() => void)[] = [];

  postMessage(questions: CountQuestion[]): void {
    this.questions.push(questions);
  }
  ref(): void {
    this.calls.push("ref");
  }
  unref(): void {
    this.calls.push("unref");
  }
  terminate(): void {
    this.calls.push("terminate");
    this.close();
  }
  addEventListener(_: string, listener: unknown): void {
    this.#onClose.push(listener as () => void);
  }

  /** Answers each question of a message with the length of its texts. */
  answer(message: number): void {
    const data = (this.questions[message] ?? []).map(({ id, texts }) => ({
      id,
      tokens: texts.join("").length,
    }));
    this.onmessage?.call(this as unknown as Worker, new MessageEvent("message", { data }));
  }
  fail(message: string): void {
    this.onerror?.call(this as unknown as Worker, new ErrorEvent("error", { message }));
  }
  close(): void {
    for (const listener of this.#onClose) listener();
  }
}

function stage() {
  const threads: FakeThread[] = [];
  const counter = new ThreadCounter(() => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread as unknown as Worker;
  });
  /** The counter sends its questions once a turn. */
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return { threads, counter, turn };
}

test("the thread is opened by the first count, and used for all", async () => {
  const { threads, counter, turn } = stage();
  expect(threads).toEqual([]);

  const counts = [counter.count(["one"]), counter.count(["three", "!"])];
  await turn();
  threads[0]?.answer(0);
  counts.push(counter.count(["later"]));
  await turn();
  threads[0]?.answer(1);

  expect(await Promise.all(counts)).toEqual([3, 6, 5]);
  expect(threads).toHaveLength(1);
  expect(threads[0]?.questions.map(({ length }) => length)).toEqual([2, 1]);
});

test("the process ends if no count is pending, and not before", async () => {
  const { threads, counter, turn } = stage();
  const first = counter.count(["a"]);
  await turn();
  const second = counter.count(["b"]);
  await turn();

  threads[0]?.answer(0);
  expect(threads[0]?.calls).toEqual(["ref", "ref"]);
  threads[0]?.answer(1);

  expect(threads[0]?.calls).toEqual(["ref", "ref", "unref"]);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
});

test("the pending counts of a thread that fails are refused, and the thread is ended", async () => {
  const { threads, counter, turn } = stage();
  const counts = Promise.allSettled([counter.count(["a"]), counter.count(["b"])]);
  await turn();

  threads[0]?.fail("out of memory");

  expect((await counts).map((each) => each.status === "rejected" && String(each.reason))).toEqual([
    "Error: The tokenizer ended: out of memory",
    "Error: The tokenizer ended: out of memory",
  ]);
  expect(threads[0]?.calls).toEqual(["ref", "terminate"]);
});

test("the next count after a thread closed opens another", async () => {
  const { threads, counter, turn } = stage();
  const lost = Promise.allSettled([counter.count(["a"])]);
  await turn();
  threads[0]?.close();
  expect((await lost)[0]).toMatchObject({
    reason: new Error("The tokenizer ended: its thread closed"),
  });

  const next = counter.count(["next"]);
  await turn();
  threads[1]?.answer(0);

  expect(await next).toBe(4);
  expect(threads[1]?.calls).toEqual(["ref", "unref"]);
});

test("the late end of an earlier thread does not disturb the counts of its successor", async () => {
  const { threads, counter, turn } = stage();
  const lost = Promise.allSettled([counter.count(["a"])]);
  await turn();
  threads[0]?.fail("broken");
  await lost;
  const next = counter.count(["next"]);
  await turn();

  threads[0]?.fail("broken again");
  threads[0]?.close();
  threads[1]?.answer(0);

  expect(await next).toBe(4);
  expect(threads).toHaveLength(2);
});

test("the characters that wait are those of unanswered counts", async () => {
  const { threads, counter, turn } = stage();
  const first = counter.count(["four", "five5"]);
  expect(counter.waitingChars).toBe(9);
  await turn();
  const second = counter.count(["six six"]);
  expect(counter.waitingChars).toBe(16);

  threads[0]?.answer(0);
  await first;
  expect(counter.waitingChars).toBe(7);

  await turn();
  threads[0]?.close();
  await second.catch(() => {});
  expect(counter.waitingChars).toBe(0);
});
