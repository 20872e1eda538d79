import { expect, test } from "bun:test";
import { mapAtMost } from "./map-at-most.ts";

test("results have the order of the items, independent of completion", async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const mapped = mapAtMost([0, 1, 2], 3, async (at) => {
    await gates[at]?.promise;
    return at * 10;
  });
  for (const gate of gates.toReversed()) gate.resolve();

  expect(await mapped).toEqual([0, 10, 20]);
});

test("the number of concurrent calls is limited", async () => {
  let underWay = 0;
  let most = 0;
  await mapAtMost(
    Array.from({ length: 20 }, (_, at) => at),
    3,
    async () => {
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      underWay--;
    },
  );

  expect(most).toBe(3);
});

test("the first error is the result, and no further call starts", async () => {
  const begun: number[] = [];
  const failing = mapAtMost([1, 2, 3, 4, 5, 6], 2, async (each) => {
    begun.push(each);
    await Promise.resolve();
    if (each === 2) throw new Error("two");
  });

  expect(failing).rejects.toThrow("two");
  await Bun.sleep(0);
  expect(begun).toEqual([1, 2, 3]);
});

test("an item may be undefined", async () => {
  expect(await mapAtMost([undefined, "a", undefined], 2, async (each) => each ?? "none")).toEqual([
    "none",
    "a",
    "none",
  ]);
});
