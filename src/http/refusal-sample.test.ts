import { expect, test } from "bun:test";
import { RefusalSample } from "./refusal-sample.ts";

const HERE = "198.51.100.1";

function openSample() {
  let now = 0;
  const sample = new RefusalSample({ monotonic: () => now });
  return {
    sample,
    pass: (ms: number) => void (now += ms),
    /** How many of `count` are written. */
    written: (count: number, address?: string) =>
      Array.from({ length: count }, () => sample.mayWrite(address)).filter(Boolean).length,
  };
}

test("a hundred rows per minute are written for one address, independent of other addresses", () => {
  const { written, pass } = openSample();

  expect(written(250, HERE)).toBe(100);
  expect(written(3, "198.51.100.2")).toBe(3);
  expect(written(250)).toBe(100);
  pass(60_000);
  expect(written(250, HERE)).toBe(100);
});

test("an IPv6 network counts as one address", () => {
  const { written } = openSample();

  expect(written(60, "2001:db8::1") + written(60, "2001:db8::2")).toBe(100);
});

test("all addresses together are limited by the space of one hour", () => {
  const { written, pass } = openSample();
  const all = (): number =>
    Array.from({ length: 100 }, (_, i) => written(100, `192.0.2.${i}`)).reduce((a, b) => a + b, 0);

  expect(all()).toBe(6_000);
  pass(60_000);
  expect(all()).toBe(0);
  pass(3_600_000);
  expect(all()).toBe(6_000);
});

test("unwritten rows are counted by address until the count is written", () => {
  const { sample } = openSample();
  for (let i = 0; i < 5; i++) sample.count(HERE);
  sample.count(undefined);

  expect(sample.counts).toEqual([
    [HERE, 5],
    ["unknown", 1],
  ]);
  sample.count(HERE);
  sample.forget(HERE, 5);
  expect(sample.counts).toContainEqual([HERE, 1]);
});

test("a limited number of addresses is counted separately", () => {
  const { sample } = openSample();
  for (let i = 0; i < 5_000; i++) sample.count(`10.0.${i >> 8}.${i & 255}`);

  expect(sample.counts).toHaveLength(101);
  expect(sample.counts.at(-1)).toEqual(["others", 4_900]);
});
