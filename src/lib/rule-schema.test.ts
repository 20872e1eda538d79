import { expect, test } from "bun:test";
import { schemaOf } from "./rule-schema.ts";
import { object, tagged, text } from "./rules.ts";

test("a union case with its own tag field has the tag's value and requires it once", () => {
  const rule = tagged("type", { a: object({ "type!": text(), "x!": text() }) }, { closed: true });

  expect(schemaOf(rule)).toEqual({
    anyOf: [
      {
        type: "object",
        properties: { type: { const: "a" }, x: { type: "string" } },
        required: ["type", "x"],
      },
    ],
  });
});

test("a word whose spellings are the same is listed once", () => {
  expect(schemaOf(text({ oneOf: ["auto", "HIGH"], anyCase: true }))).toEqual({
    type: "string",
    enum: ["auto", "HIGH", "high"],
  });
});
