import { expect, test } from "bun:test";
import type { CallLog, CallRecord, JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { Sink } from "#lib/push-stream.ts";
import { recordOf } from "#test/storage/contract-place.ts";
import { waitFor } from "#test/wait.ts";
import { LiveCalls, type Following, type LiveLimits, type LiveView } from "./live-calls.ts";

const EVERYTHING: LiveView = { matches: () => true, show: ({ id }) => ({ id }) };
const FAST = { pollMs: 5, checkMs: 20, keepAliveMs: 10_000 };

test("every reader gets each call once, in the order of the journal, from its beginning on", async () => {
  const { journal, live } = open();
  journal.add(3);
  const early = read(live);
  await waitFor(() => journal.reads > 0);
  await Bun.sleep(20);
  journal.add(450);
  const late = read(live, { after: 2 });
  await waitFor(() => early.ids.length === 450 && late.ids.length === 451);
  journal.add(2);
  await waitFor(() => early.ids.length === 452 && late.ids.length === 453);

  expect(early.ids).toEqual(numbers(4, 455));
  expect(late.ids).toEqual(numbers(3, 455));
  early.leave();
  late.leave();
});

test("a client that continues after an event misses no call and gets none twice", async () => {
  const { journal, live } = open();
  const first = read(live);
  const adding = setInterval(() => journal.add(7), 1);
  await waitFor(() => first.ids.length > 100);
  first.leave();
  const second = read(live, { after: first.ids.at(-1) });
  await waitFor(() => second.ids.length > 300);
  clearInterval(adding);
  second.leave();

  const all = [...first.ids, ...second.ids];
  const [start = 0] = all;
  expect(all).toEqual([...numbers(start, start + all.length - 1)]);
});

test("a client whose position is after the end of the journal gets the next calls", async () => {
  const { journal, live } = open();
  journal.add(2);
  const reader = read(live, { after: 1_000_000 });
  const other = read(live);
  await waitFor(() => journal.reads >= 4);
  await Bun.sleep(20);
  journal.add(1);

  await waitFor(() => reader.ids.length === 1 && other.ids.length === 1);
  expect(reader.ids).toEqual([3]);
  reader.leave();
  other.leave();
});

test("a slow client loses calls, learns how many, and continues with the next one", async () => {
  const { journal, live } = open({ waiting: 10 });
  const slow = read(live);
  const quick = read(live);
  await waitFor(() => journal.reads >= 4);
  await Bun.sleep(20);
  slow.hold();
  journal.add(1);
  await waitFor(() => quick.ids.length === 1);
  for (let seen = 6; seen <= 101; seen += 5) {
    journal.add(5);
    await waitFor(() => quick.ids.length === seen);
  }
  slow.release();
  await waitFor(() => slow.text.includes("event: dropped"));
  journal.add(1);
  await waitFor(() => slow.ids.at(-1) === 102);

  const dropped = Number(/event: dropped\ndata: \{"count":(\d+)\}/.exec(slow.text)?.[1]);
  expect(slow.ids.length + dropped).toBe(102);
  expect(dropped).toBeGreaterThanOrEqual(80);
  expect(slow.ids).toEqual([...numbers(1, slow.ids.length - 1), 102]);
  slow.leave();
  quick.leave();
});

test("without a stream the journal is not read, and a client that leaves releases everything", async () => {
  const { journal, live } = open();
  const reader = read(live);
  await waitFor(() => journal.reads > 3);
  reader.leave();
  await reader.done;
  await Bun.sleep(20);
  const { reads } = journal;
  await Bun.sleep(40);

  expect(live.size).toBe(0);
  expect(journal.reads).toBe(reads);
});

test("the limits count open streams of all users and of one user", async () => {
  const { live } = open({ streams: 3, streamsOfUser: 2 });
  const readers = [read(live), read(live)];
  expect(() => read(live)).toThrow("Too many streams");
  readers.push(read(live, { userId: 2 }));
  expect(() => read(live, { userId: 3 })).toThrow("Too many streams");

  readers[0]?.leave();
  readers.push(read(live, { userId: 3 }));
  for (const each of readers) each.leave();
  await waitFor(() => live.size === 0);
});

test("a stream ends, with the reason, if the user loses the right", async () => {
  const { live } = open();
  let isAllowed = true;
  const reader = read(live, {
    async check() {
      if (isAllowed) return EVERYTHING;
      throw new GatewayError("forbidden", "Your role does not allow this.");
    },
  });
  await Bun.sleep(60);
  expect(live.size).toBe(1);
  isAllowed = false;

  expect(await reader.done).toBe("end");
  expect(reader.text).toEndWith(
    'event: end\ndata: {"reason":"Your role does not allow this."}\n\n',
  );
});

test("at a drain all streams end, those of stalled clients are cut, and new ones are refused", async () => {
  const { journal, live } = open();
  const reader = read(live);
  const stalled = read(live);
  await waitFor(() => journal.reads >= 4);
  await Bun.sleep(20);
  stalled.hold();
  journal.add(1);
  await waitFor(() => reader.ids.length === 1);
  live.drain();

  expect(await reader.done).toBe("end");
  expect(reader.text).toContain("The gateway is shutting down.");
  expect(await stalled.done).toBe("cut");
  expect(live.size).toBe(0);
  expect(() => read(live)).toThrow("The gateway is shutting down.");
});

test("a silent stream is kept alive, and its position moves on with calls that it does not show", async () => {
  const { journal, live } = open({ keepAliveMs: 15 });
  const reader = read(live, { view: { ...EVERYTHING, matches: () => false } });
  await waitFor(() => journal.reads > 2);
  journal.add(5);

  await waitFor(() => reader.text.includes(": keep-alive\nid: seq-5\n\n"));
  expect(reader.ids).toEqual([]);
  reader.leave();
});

test("a failure of the database is reported, and the next poll delivers the calls", async () => {
  const { journal, live, errors } = open();
  const reader = read(live);
  await waitFor(() => journal.reads > 2);
  await Bun.sleep(20);
  journal.isBroken = true;
  await waitFor(() => errors.length > 0);
  journal.add(2);
  journal.isBroken = false;

  await waitFor(() => reader.ids.length === 2);
  reader.leave();
});

/** A journal in memory. */
class MemoryJournal implements Pick<CallLog, "tail" | "namesOf"> {
  readonly #entries: JournalEntry[] = [];
  reads = 0;
  isBroken = false;

  add(count: number): void {
    for (let each = 0; each < count; each++) {
      const seq = this.#entries.length + 1;
      const call: CallRecord = recordOf(String(seq));
      this.#entries.push({ seq, call });
    }
  }

  async tail(after: number | undefined, limit: number) {
    this.reads += 1;
    await Bun.sleep(1);
    if (this.isBroken) throw new Error("The database is away.");
    const end = this.#entries.length;
    if (after === undefined) return { entries: [], last: end };
    const entries = this.#entries.slice(after, after + limit);
    return { entries, last: Math.max(after, entries.at(-1)?.seq ?? after) };
  }

  async namesOf() {
    await Bun.sleep(1);
    return { users: new Map(), keys: new Map(), teams: new Map() };
  }
}

function open(limits: Partial<LiveLimits> = {}) {
  const journal = new MemoryJournal();
  const errors: unknown[] = [];
  const live = new LiveCalls(
    { calls: journal, onError: (cause) => errors.push(cause) },
    { ...FAST, ...limits },
  );
  return { journal, live, errors };
}

/** A client that reads the stream, except while it holds. */
class Client implements Sink {
  text = "";
  done: Promise<"end" | "cut"> = Promise.resolve("end");
  readonly #leaving = new AbortController();
  #held: PromiseWithResolvers<void> | undefined;

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  get ids(): readonly number[] {
    return [...this.text.matchAll(/^data: \{"id":"(\d+)"\}$/gm)].map(([, id]) => Number(id));
  }

  write(text: string): void | Promise<void> {
    this.text += text;
    return this.#held?.promise;
  }

  hold(): void {
    this.#held = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  leave(): void {
    this.#leaving.abort();
  }
}

function read(live: LiveCalls, following: Partial<Following> = {}): Client {
  const client = new Client();
  const reader = live.open({
    userId: 1,
    after: undefined,
    view: EVERYTHING,
    check: async () => following.view ?? EVERYTHING,
    signal: client.signal,
    ...following,
  });
  client.done = reader.fill(client);
  return client;
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
