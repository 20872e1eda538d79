import { describe, expect, test } from "bun:test";
import {
  createLargeStepScheduler,
  LARGE_BYTES,
  yieldToEventLoop,
  type LargeStepScheduler,
} from "./yield-to-event-loop.ts";

const MANY = 20 * 1024 * 1024;

test("between large steps everybody else has a turn", async () => {
  const seen: string[] = [];
  let isOver = false;
  const turn = (): void => {
    seen.push("turn");
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);

  await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      await yieldToEventLoop(MANY);
      seen.push(name);
    }),
  );
  isOver = true;

  expect(seen.join(" ")).toMatch(/^(turn )+a (turn )+b (turn )+c$/);
});

test("small ones do not wait", async () => {
  const seen: string[] = [];
  const large = yieldToEventLoop(MANY).then(() => seen.push("large"));

  await yieldToEventLoop(1_000);
  seen.push("small");
  await large;

  expect(seen).toEqual(["small", "large"]);
});

describe("large steps, by a clock of the test's own", () => {
  test("lose no time where nobody else asks, and still take turns", async () => {
    const { steps, seen } = watched();

    await goOver(steps, MANY, 3);

    expect(seen).toEqual(["turn", "turn", "turn"]);
  });

  test("leave time where somebody else has asked", async () => {
    const { steps, seen } = watched();
    steps.noteOtherWork();

    await goOver(steps, MANY, 3);

    expect(seen).toEqual(["3 ms", "3 ms", "3 ms"]);
  });

  test("leave none any more for who asked some time ago", async () => {
    const { steps, seen, clock } = watched();
    steps.noteOtherWork();
    await goOver(steps, MANY, 1);

    clock.now += 60;
    await goOver(steps, MANY, 1);
    steps.noteOtherWork();
    await goOver(steps, MANY, 1);

    expect(seen).toEqual(["3 ms", "turn", "3 ms"]);
  });

  test("a few, each not that large, leave time once together", async () => {
    const { steps, seen } = watched();
    steps.noteOtherWork();

    await goOver(steps, LARGE_BYTES, 8);

    const three = ["turn", "turn", "turn"];
    expect(seen).toEqual([...three, "3 ms", ...three, "3 ms"]);
  });

  test("many that wait for each other leave more, and after each", async () => {
    const { steps, seen } = watched();
    steps.noteOtherWork();

    await Promise.all(Array.from({ length: 4 }, () => steps.yieldToEventLoop(LARGE_BYTES)));

    // The last two are few again, and together not large.
    expect(seen).toEqual(["4 ms", "4 ms", "turn", "turn"]);
  });
});

/** Large steps whose time passes only where they leave some, or where a test says so. */
function watched(): {
  readonly steps: LargeStepScheduler;
  readonly seen: readonly string[];
  readonly clock: { now: number };
} {
  const seen: string[] = [];
  const clock = { now: 1_000 };
  const steps = createLargeStepScheduler({
    now: () => clock.now,
    async turn() {
      seen.push("turn");
    },
    async pause(ms) {
      seen.push(`${ms} ms`);
      clock.now += ms;
    },
  });
  return { steps, seen, clock };
}

async function goOver(steps: LargeStepScheduler, sizeBytes: number, times: number): Promise<void> {
  for (let step = 0; step < times; step++) await steps.yieldToEventLoop(sizeBytes);
}
