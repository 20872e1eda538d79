import { expect, test } from "bun:test";
import { LARGE_BYTES, letOthersPass } from "./let-others-pass.ts";

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

test("where many large ones wait, others have time after each step, and not only a turn", async () => {
  const seen: string[] = [];
  const timer = setInterval(() => seen.push("time"), 1);

  await Promise.all(
    ["a", "b", "c", "d"].map(async (name) => {
      await letOthersPass(LARGE_BYTES);
      seen.push(name);
    }),
  );
  clearInterval(timer);

  expect(seen.join(" ")).toMatch(/^(time )+a (time )+b/);
});
