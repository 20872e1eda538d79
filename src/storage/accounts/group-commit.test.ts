import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { systemClock } from "#lib/clock.ts";
import { waitFor } from "#test/wait.ts";
import { openGroup, type Group, type Verdict, type Write } from "./group-commit.ts";
import { STORAGE_LIMITS, type StorageLimits } from "../limits.ts";

test("writes that arrive during a transaction share the next one", async () => {
  const { group, batches, outcomes, open } = setup();

  for (let i = 0; i < 100; i++) group.add(write(i, outcomes));
  open.resolve();
  await waitFor(() => outcomes.length === 100);

  expect(batches.flat()).toHaveLength(100);
  expect(batches.length).toBeLessThan(4);
});

test("a transaction never exceeds its maximum size", async () => {
  const { group, batches, outcomes, open } = setup({ limits: { maxBatch: 7 } });

  for (let i = 0; i < 100; i++) group.add(write(i, outcomes));
  open.resolve();
  await waitFor(() => outcomes.length === 100);

  expect(Math.max(...batches.map((batch) => batch.length))).toBe(7);
});

test("one invalid operation does not block the others", async () => {
  const { group, outcomes, open, errors } = setup({
    fail: (ids) => (ids.includes(3) ? "bad" : undefined),
  });

  for (let i = 0; i < 6; i++) group.add(write(i, outcomes));
  open.resolve();
  await waitFor(() => outcomes.length === 6);

  expect(outcomes.toSorted()).toEqual([
    "0 done",
    "1 done",
    "2 done",
    "3 internal",
    "4 done",
    "5 done",
  ]);
  expect(errors).toHaveLength(1);
  expect(() => group.assertOpen()).not.toThrow();
});

test("while the database cannot be written, calls are refused and pending charges are kept", async () => {
  let isDown = true;
  const { group, outcomes, open, errors } = setup({ fail: () => (isDown ? "wait" : undefined) });

  group.add(write(0, outcomes, true));
  group.add(write(1, outcomes, false));
  open.resolve();
  await waitFor(() => outcomes.length === 1);
  group.add(write(2, outcomes, false));
  expect(outcomes).toEqual(["0 unavailable"]);
  expect(() => group.assertOpen()).toThrow(GatewayError);
  isDown = false;
  await waitFor(() => outcomes.length === 3);

  expect(outcomes).toEqual(["0 unavailable", "1 done", "2 done"]);
  expect(errors).toHaveLength(1);
  expect(() => group.assertOpen()).not.toThrow();
});

test("a recovered database is noticed even if no write is waiting", async () => {
  let isDown = true;
  const { group, outcomes, open, batches } = setup({ fail: () => (isDown ? "wait" : undefined) });
  group.add(write(0, outcomes, true));
  open.resolve();
  await waitFor(() => outcomes.length === 1);

  isDown = false;

  await waitFor(() => isOpen(group));
  expect(batches.at(-1)).toEqual([PROBE]);
});

test("after a disk failure no write is retried, and no client waits forever", async () => {
  const { group, outcomes, open, batches, fatals } = setup({ fail: () => "fatal" });

  for (let i = 0; i < 3; i++) group.add(write(i, outcomes, i === 0));
  open.resolve();
  await waitFor(() => outcomes.length === 3);
  group.add(write(3, outcomes, false));

  expect(outcomes).toEqual([0, 1, 2, 3].map((id) => `${id} unavailable`));
  expect(batches).toHaveLength(1);
  expect(fatals).toHaveLength(1);
  expect(() => group.assertOpen()).toThrow(GatewayError);
});

test("closing waits for queued writes for a limited time", async () => {
  const { group, outcomes, open } = setup({ fail: () => "wait", limits: { closeTimeoutMs: 120 } });
  group.add(write(0, outcomes, false));
  open.resolve();

  await group.close();

  expect(outcomes).toEqual(["0 unavailable"]);
});

test("a full write queue refuses new calls", async () => {
  const { group, outcomes, open } = setup({ limits: { maxQueuedWrites: 3 } });
  for (let i = 0; i < 3; i++) group.add(write(i, outcomes, false));

  expect(() => group.assertOpen()).toThrow("queue is full");

  open.resolve();
  await waitFor(() => outcomes.length === 3);
  expect(() => group.assertOpen()).not.toThrow();
});

const PROBE = -1;

interface NumberedWrite extends Write {
  readonly id: number;
}

function write(id: number, outcomes: string[], isRefusable = true): NumberedWrite {
  return {
    id,
    isRefusable,
    done: () => void outcomes.push(`${id} done`),
    refuse: ({ code }) => void outcomes.push(`${id} ${code}`),
  };
}

/** A group whose first transaction waits until it is opened. */
function setup(
  options: {
    readonly fail?: (ids: readonly number[]) => Verdict | undefined;
    readonly limits?: Partial<StorageLimits>;
  } = {},
) {
  const open = Promise.withResolvers<void>();
  const batches: number[][] = [];
  const outcomes: string[] = [];
  const errors: unknown[] = [];
  const fatals: unknown[] = [];
  let verdict: Verdict | undefined;
  const group = openGroup<NumberedWrite>({
    async commit(writes) {
      await open.promise;
      const ids = writes.map(({ id }) => id);
      batches.push(ids);
      verdict = options.fail?.(ids);
      if (verdict !== undefined) throw new Error(verdict);
    },
    judge: () => verdict ?? "fatal",
    inFlight: () => 0,
    probe: () => write(PROBE, []),
    clock: systemClock,
    limits: { ...STORAGE_LIMITS, ...options.limits },
    events: {
      onError: (cause) => errors.push(cause),
      onFatal: (cause) => fatals.push(cause),
      onWait: (message) => errors.push(message),
    },
  });
  return { group, batches, outcomes, errors, fatals, open };
}

function isOpen(group: Group<NumberedWrite>): boolean {
  try {
    group.assertOpen();
    return true;
  } catch {
    return false;
  }
}
