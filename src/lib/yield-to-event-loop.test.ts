import { describe, expect, test } from "bun:test";
import {
  createLargeStepScheduler,
  LARGE_BYTES,
  yieldToEventLoop,
  type LargeStepScheduler,
} from "./yield-to-event-loop.ts";

const MANY = 20 * 1024 * 1024;

test("other work runs between large steps", async () => {
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

describe("large steps with a test clock", () => {
  test("lose no time without other work, and still take turns", async () => {
    const { steps, seen } = watched();

    await goOver(steps, MANY, 3);

    expect(seen).toEqual(["turn", "turn", "turn"]);
  });

  test("pause if there was other work", async () => {
    const { steps, seen } = watched();
    steps.noteOtherWork();

    await goOver(steps, MANY, 3);

    expect(seen).toEqual(["3 ms", "3 ms", "3 ms"]);
  });

  test("do not pause for other work long ago", async () => {
    const { steps, seen, clock } = watched();
    steps.noteOtherWork();
    await goOver(steps, MANY, 1);

    clock.now += 60;
    await goOver(steps, MANY, 1);
    steps.noteOtherWork();
    await goOver(steps, MANY, 1);

    expect(seen).toEqual(["3 ms", "turn", "3 ms"]);
  });

  test("of moderate size pause once together", async () => {
    const { steps, seen } = watched();
    steps.noteOtherWork();

    await goOver(steps, LARGE_BYTES, 8);

    const three = ["turn", "turn", "turn"];
    expect(seen).toEqual([...three, "3 ms", ...three, "3 ms"]);
  });

  test("that wait for each other pause longer, and after each", async () => {
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
