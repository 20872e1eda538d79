import { expect, test } from "bun:test";
import { LARGE_BYTES, letOthersPass, noteOther } from "./let-others-pass.ts";

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
      await letOthersPass(MANY);
      seen.push(name);
    }),
  );
  isOver = true;

  expect(seen.join(" ")).toMatch(/^(turn )+a (turn )+b (turn )+c$/);
});

test("small ones do not wait", async () => {
  const seen: string[] = [];
  const large = letOthersPass(MANY).then(() => seen.push("large"));

  await letOthersPass(1_000);
  seen.push("small");
  await large;

  expect(seen).toEqual(["small", "large"]);
});

test("where nobody else asks, large ones take turns and lose no time", async () => {
  await untilNobodyIsHere();

  const turns = await turnsBetweenSteps();

  expect(turns).toBeLessThan(3 * STEPS);
});

test("where somebody else asks, they do", async () => {
  noteOther();
  const turns = await turnsBetweenSteps();

  // Milliseconds are thousands of them.
  expect(turns).toBeGreaterThan(10 * STEPS);
});

const STEPS = 8;

/** Whoever asked before this test is forgotten then. */
async function untilNobodyIsHere(): Promise<void> {
  await letOthersPass(MANY);
  await Bun.sleep(60);
}

async function turnsBetweenSteps(): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  for (let step = 0; step < STEPS; step++) await letOthersPass(MANY);
  isOver = true;
  return turns;
}

test("where many large ones wait, others have time after each step, and not only a turn", async () => {
  const seen: string[] = [];
  const timer = setInterval(() => seen.push("time"), 1);
  noteOther();

  await Promise.all(
    ["a", "b", "c", "d"].map(async (name) => {
      await letOthersPass(LARGE_BYTES);
      seen.push(name);
    }),
  );
  clearInterval(timer);

  expect(seen.join(" ")).toMatch(/^(time )+a (time )+b/);
});
