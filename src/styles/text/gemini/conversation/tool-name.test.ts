import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { readToolName, writeToolName } from "./tool-name.ts";

test("a valid name is unchanged", () => {
  for (const name of ["f", "_f", "get_weather", "mcp__server-1__tool", "a.b"]) {
    expect(writeToolName(name, "function")).toBe(name);
  }
});

test("any other name is escaped, and restored", () => {
  const names = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("", "1", "-a", "_.", "_.61", "x.-text", ".-text", "_.x.-text", "a.41"),
  );
  fc.assert(
    fc.property(names, fc.constantFrom("function" as const, "custom" as const), (name, kind) => {
      const written = writeToolName(name, kind);

      expect(written).toMatch(/^[A-Za-z_][A-Za-z0-9_.-]*$/);
      expect(readToolName(written)).toEqual({ name, kind });
    }),
    { seed: SEED, numRuns: times(1_000, 50_000) },
  );
});

test("a name without escapes is unchanged", () => {
  expect(readToolName("_.zz.4")).toEqual({ name: "zz.4", kind: "function" });
});
