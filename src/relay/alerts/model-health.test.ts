import { describe, expect, test } from "bun:test";
import type { ChannelMinute } from "#core/channel-minute.ts";
import { nanoUsd } from "#core/money.ts";
import { ModelHealth } from "./model-health.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Half past an hour. */
const NOW = 100 * HOUR + 30 * MINUTE;
/** The begin of the first of 24 hours. */
const FIRST = 77 * HOUR;

type Attempts = readonly [minute: number, attempts: number, failed: number];

interface Given {
  readonly models?: Readonly<Record<string, readonly string[]>>;
  readonly hidden?: readonly string[];
  readonly attempts?: Readonly<Record<string, readonly Attempts[]>>;
}

function stage({ models = { m: ["one"] }, hidden = [], attempts = {} }: Given) {
  const reads: [string, number][] = [];
  const time = { now: NOW };
  const state = { isDown: false };
  const minutes = {
    async read(channel: string, from: number): Promise<readonly ChannelMinute[]> {
      reads.push([channel, from]);
      if (state.isDown) throw new Error("No database.");
      const rest = { cost: nanoUsd(0), firstBytes: new Map(), faults: new Map() };
      return (attempts[channel] ?? []).map(([minute, all, failed]) => ({
        channel,
        minute,
        attempts: all,
        failed,
        ...rest,
      }));
    },
  };
  const table = {
    models: new Map(
      Object.entries(models).map(([model, names]) => [
        model,
        names.map((name) => ({ channel: { name } })),
      ]),
    ) as never,
    isListed: (name: string) => !hidden.includes(name),
  };
  const clock = { now: () => time.now, monotonic: () => 0 };
  return { reads, time, state, health: new ModelHealth({ minutes, table, clock }) };
}

async function healthOf(given: Given) {
  const [model] = await stage(given).health.list();
  return model;
}

describe("the state of a model", () => {
  const stateAfter = async (...one: readonly Attempts[]) =>
    (await healthOf({ attempts: { one } }))?.state;

  test("is unknown without attempts", async () => {
    expect(await healthOf({})).toEqual({
      model: "m",
      state: "unknown",
      available: undefined,
      hours: Array.from({ length: 24 }, () => undefined),
    });
    expect(await stateAfter([NOW, 0, 0])).toBe("unknown");
  });

  test("is that of the last five minutes", async () => {
    const old: Attempts = [NOW - 6 * MINUTE, 9, 9];

    expect(await stateAfter(old, [NOW - 5 * MINUTE, 1, 0])).toBe("up");
    expect(await stateAfter([NOW - 6 * MINUTE, 9, 0], [NOW, 1, 1])).toBe("down");
    expect(await stateAfter([NOW - MINUTE, 1, 0], [NOW, 1, 1])).toBe("degraded");
  });

  test("is that of the whole day, if no call came in the last minutes", async () => {
    expect(await stateAfter([NOW - 6 * MINUTE, 9, 9])).toBe("down");
    expect(await stateAfter([FIRST, 9, 8])).toBe("up");
  });

  test("is still up if one of a hundred minutes failed", async () => {
    const minutes = (good: number): Attempts[] =>
      Array.from({ length: good + 1 }, (_, at) => [FIRST + at * MINUTE, 1, at === 0 ? 1 : 0]);

    expect(await stateAfter(...minutes(99))).toBe("up");
    expect(await stateAfter(...minutes(98))).toBe("degraded");
  });
});

test("a minute is good if any channel of the model answered in it", async () => {
  const models = { m: ["one", "two"] };
  const [bad, good]: [Attempts, Attempts] = [
    [FIRST, 2, 2],
    [FIRST, 2, 1],
  ];

  for (const attempts of [
    { one: [bad], two: [good] },
    { one: [good], two: [bad] },
  ]) {
    expect((await healthOf({ models, attempts }))?.available).toBe(1);
  }
  expect((await healthOf({ models, attempts: { one: [bad], two: [bad] } }))?.available).toBe(0);
});

test("each of the last 24 hours has its own share", async () => {
  const one: Attempts[] = [
    [FIRST, 1, 0],
    [FIRST + HOUR - MINUTE, 1, 1],
    [FIRST + HOUR, 1, 0],
    [NOW, 1, 1],
  ];

  const health = await healthOf({ attempts: { one } });

  expect(health?.hours).toHaveLength(24);
  expect(health?.hours.slice(0, 3)).toEqual([0.5, 1, undefined]);
  expect(health?.hours.at(-1)).toBe(0);
  expect(health?.available).toBe(0.5);
});

test("models are shown by name, hidden ones are not, and each channel is read once", async () => {
  const models = { b: ["two", "one", "two"], a: ["one", "two"], c: ["one"], secret: ["three"] };
  const { health, reads } = stage({
    models,
    hidden: ["secret"],
    attempts: { one: [[NOW, 1, 1]], two: [[NOW, 1, 0]] },
  });

  const shown = await health.list();

  expect(shown.map(({ model, state }) => [model, state])).toEqual([
    ["a", "up"],
    ["b", "up"],
    ["c", "down"],
  ]);
  // Models with the same channels have the same health, which is found once.
  expect(shown[0]?.hours).toBe(shown[1]?.hours ?? []);
  expect(reads).toEqual([
    ["one", FIRST],
    ["two", FIRST],
  ]);
});

test("visitors within fifteen seconds get the same", async () => {
  const { health, time, reads } = stage({});
  const first = await health.list();
  time.now += 14_999;

  expect(await health.list()).toBe(first);
  time.now += 1;
  await health.list();

  expect(reads).toHaveLength(2);
});

test("a failure is not kept", async () => {
  const { health, state } = stage({});
  state.isDown = true;
  expect(await health.list().catch((cause: unknown) => String(cause))).toBe("Error: No database.");

  state.isDown = false;

  expect(await health.list()).toHaveLength(1);
});
