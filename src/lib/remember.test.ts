import { expect, test } from "bun:test";
import { remember } from "./remember.ts";

test("a result is computed once for each text, also if it is undefined", () => {
  const asked: string[] = [];
  const find = remember((text) => {
    asked.push(text);
    return text === "none" ? undefined : text.length;
  });

  expect([find("abc"), find("none"), find("abc"), find("none")]).toEqual([
    3,
    undefined,
    3,
    undefined,
  ]);
  expect(asked).toEqual(["abc", "none"]);
});

test("more texts than allowed are computed again, so that memory is limited", () => {
  const asked: string[] = [];
  const find = remember((text) => void asked.push(text), 2);

  for (const text of ["a", "b", "a", "c", "a"]) find(text);
  expect(asked).toEqual(["a", "b", "c", "a"]);
});
