import { expect, test } from "bun:test";
import { Witness } from "./witness.ts";

let now = 0;
const clock = { monotonic: () => now };

/** Says whether it is reliable after each second, with a sign of life every five of them. */
function listen(witness: Witness, seconds: number): boolean[] {
  return Array.from({ length: seconds }, () => {
    now += 1_000;
    if (now % 5_000 === 0) witness.heard();
    return witness.isReliable;
  });
}

test("while the database is there, silence of others says that they are gone", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, true);

  expect(witness.isReliable).toBe(true);
  expect(new Set(listen(witness, 100))).toEqual(new Set([true]));
});

test("while the database is away it says nothing, and then not until everybody had time to speak", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, true);

  now = 40_000;
  const away = witness.isReliable;
  witness.heard();

  expect(away).toBe(false);
  expect(witness.isReliable).toBe(false);
  expect(new Set(listen(witness, 29))).toEqual(new Set([false]));
  expect(listen(witness, 1)).toEqual([true]);
});

test("a sign of life that is late says nothing of the others", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, true);

  now = 14_000;
  witness.heard();

  expect(witness.isReliable).toBe(true);
});

test("a gateway that had to wait for its database gives the others time to speak, too", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, false);

  expect(new Set(listen(witness, 29))).toEqual(new Set([false]));
  expect(listen(witness, 1)).toEqual([true]);
});
