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

test("while the database is available, missing heartbeats mean dead gateways", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, true);

  expect(witness.isReliable).toBe(true);
  expect(new Set(listen(witness, 100))).toEqual(new Set([true]));
});

test("after a database outage, missing heartbeats mean nothing until all gateways had time for one", () => {
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

test("a late own heartbeat says nothing about other gateways", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, true);

  now = 14_000;
  witness.heard();

  expect(witness.isReliable).toBe(true);
});

test("after a start that waited for the database, other gateways first get time for a heartbeat", () => {
  now = 0;
  const witness = new Witness(clock, 30_000, false);

  expect(new Set(listen(witness, 29))).toEqual(new Set([false]));
  expect(listen(witness, 1)).toEqual([true]);
});
