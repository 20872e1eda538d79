import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { readToolName, writeToolName, type ToolKind } from "./tool-name.ts";

test.each<[string, ToolKind, string]>([
  ["get_weather", "function", "get_weather"],
  ["mcp.files:read", "function", "mcp_x2e_files_x3a_read"],
  ["größe", "function", "gr_xf6__xdf_e"],
  ["a_x2e_b", "function", "a_x5f_x2e_b"],
  ["apply_patch", "custom", "apply_patch_xtext_"],
  ["odd_xtext_", "function", "odd_xtext_x5f_"],
])("'%s', a %s, is written as '%s' and read back", (name, kind, written) => {
  expect(writeToolName(name, kind)).toBe(written);
  expect(readToolName(written)).toEqual({ name, kind });
});

test(`every name is restored, and written in characters that vendors accept (seed ${SEED})`, () => {
  const piece = fc.constantFrom("_", "x", "2e", "_x", "5f", "_xtext_", ".", "a", "-", "ü", "👋");
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(name, fc.constantFrom<ToolKind>("function", "custom"), (one, kind) => {
      const written = writeToolName(one, kind);

      expect(written).toMatch(/^[A-Za-z0-9_-]*$/);
      expect(readToolName(written)).toEqual({ name: one, kind });
    }),
    { seed: SEED, numRuns: times(2_000, 50_000) },
  );
});

test("a name above the maximum length is shortened, and keeps its kind", () => {
  for (const kind of ["function", "custom"] as const) {
    const written = writeToolName("a".repeat(129), kind);

    expect(written).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    expect(readToolName(written).kind).toBe(kind);
  }
});
