import { expect, test } from "bun:test";
import { letOthersPass } from "./let-others-pass.ts";

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
