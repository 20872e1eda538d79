import { expect, test } from "bun:test";
import { writeWithin } from "./write-within.ts";

test("a list that fits is written as it is", () => {
  expect(writeWithin([{ a: "text" }], 14)).toBe(`[{"a":"text"}]`);
});

test("long texts are cut before items are left out, and the JSON stays valid", () => {
  const text = writeWithin([{ a: "x".repeat(5_000) }, { b: "short" }], 1_000);

  expect(text.length).toBeLessThanOrEqual(1_000);
  expect(JSON.parse(text)).toEqual([
    { a: `${"x".repeat(250)}… [5000 characters]` },
    { b: "short" },
  ]);
});

test("the latest items stay if there are too many", () => {
  const list = Array.from({ length: 1_000 }, (_, number) => ({ number }));
  const kept = JSON.parse(writeWithin(list, 200)) as { number: number }[];

  expect(kept.length).toBeGreaterThan(3);
  expect(kept.at(-1)).toEqual({ number: 999 });
  expect(JSON.stringify(kept).length).toBeLessThanOrEqual(200);
});

test("a text is not cut inside of a character, and nothing fits into too little", () => {
  expect(writeWithin(["😀".repeat(500)], 1_001)).not.toContain("\\ud83d");
  expect(writeWithin([Array.from({ length: 99 }, () => "a")], 10)).toBe("[]");
});

test("texts are cut further until the list fits, but not below a few words", () => {
  const ten = Array.from({ length: 10 }, () => "x".repeat(5_000));

  expect(JSON.parse(writeWithin(ten, 2_000))).toEqual(
    ten.map(() => `${"x".repeat(125)}… [5000 characters]`),
  );
  expect(JSON.parse(writeWithin(["y".repeat(300), "z".repeat(64)], 256))).toEqual([
    `${"y".repeat(64)}… [300 characters]`,
    "z".repeat(64),
  ]);
});
