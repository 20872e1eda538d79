import { expect, test } from "bun:test";
import { DistinctIds } from "./distinct-ids.ts";

function given(...asked: readonly string[]): readonly string[] {
  const ids = new DistinctIds();
  return asked.map((id) => ids.next(id));
}

test("a repeated id gets a number, also if another call has that id", () => {
  expect(given("a", "b", "a", "a")).toEqual(["a", "b", "a_2", "a_3"]);
  expect(given("a_2", "a", "a")).toEqual(["a_2", "a", "a_3"]);
  expect(given("a", "a", "a_2", "")).toEqual(["a", "a_2", "a_2_2", ""]);
});

test("one id for every call of a very long conversation takes no time", () => {
  const many = given(...Array.from({ length: 100_000 }, () => "a"));

  expect(new Set(many).size).toBe(100_000);
  // Looking through all of them for each would take minutes.
}, 30_000);
