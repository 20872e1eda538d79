import { expect, spyOn, test } from "bun:test";
import { Deadlines, type Watched } from "./deadlines.ts";

const LOOKS_MS = 250;

function openClock(): { pass(ms: number): void; now(): number; monotonic(): number } {
  let now = 0;
  return {
    pass(ms) {
      now += ms;
    },
    now: () => now,
    monotonic: () => now,
  };
}

/** Is given up once, or moves on. */
function entry(
  dueAt: number,
  onDue: (each: Watched) => void = () => {},
): Watched & { due: number } {
  const each = {
    dueAt,
    due: 0,
    onDue() {
      each.due++;
      each.dueAt = Infinity;
      onDue(each);
    },
  };
  return each;
}

test("a due entry is notified once, an entry with a later deadline is not", async () => {
  const clock = openClock();
  const deadlines = new Deadlines(clock);
  const [due, moved, later] = [entry(1_000), entry(1_000), entry(1_001)];
  for (const each of [due, moved, later]) deadlines.watch(each);

  moved.dueAt = 2_000;
  clock.pass(1_000);
  await Bun.sleep(LOOKS_MS);

  expect([due.due, moved.due, later.due]).toEqual([1, 0, 0]);
  for (const each of [due, moved, later]) deadlines.release(each);
});

test("a released entry is not notified, even if another entry releases it at the same time", async () => {
  const clock = openClock();
  const deadlines = new Deadlines(clock);
  const second = entry(1_000);
  const first = entry(1_000, () => {
    deadlines.release(first);
    deadlines.release(second);
  });
  deadlines.watch(first);
  deadlines.watch(second);

  clock.pass(1_000);
  await Bun.sleep(LOOKS_MS);

  expect([first.due, second.due, deadlines.size]).toEqual([1, 0, 0]);
});

test("no timer runs for long without entries", async () => {
  using starts = spyOn(globalThis, "setInterval");
  using stops = spyOn(globalThis, "clearInterval");
  const deadlines = new Deadlines(openClock());
  const all = [entry(1), entry(2)];

  for (const each of all) deadlines.watch(each);
  expect([starts.mock.calls.length, stops.mock.calls.length]).toEqual([1, 0]);
  for (const each of all) deadlines.release(each);
  await Bun.sleep(LOOKS_MS);

  expect<unknown>(stops.mock.lastCall?.[0]).toBe(starts.mock.results[0]?.value);
  expect(starts).toHaveBeenCalledTimes(1);
});
