import { expect, test } from "bun:test";
import type { Tool } from "#core/chat.ts";
import { toolText } from "./tool-text.ts";

const WEATHER: Tool = {
  kind: "function",
  name: "weather",
  description: "Tells the weather.",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string", description: "Where." },
      unit: { enum: ["C", "F"] },
      days: { type: "array", items: { type: "integer" } },
      more: { type: ["object", "null"], properties: { wind: { anyOf: [{ type: "boolean" }] } } },
    },
    required: ["city"],
  },
};

test("a tool as types is a declaration with its descriptions as comments", () => {
  expect(toolText(WEATHER, "types")).toBe(
    [
      "// Tells the weather.",
      "type weather = (_: {",
      "// Where.",
      "city: string,",
      'unit?: "C" | "F",',
      "days?: number[],",
      "more?: {",
      "wind?: boolean,",
      "},",
      "}) => any;",
      "",
    ].join("\n"),
  );
});

test("a tool as words consists of names, descriptions and values", () => {
  expect(toolText(WEATHER, "words")).toBe(
    "weather Tells the weather. city Where. unit C F days more wind city",
  );
});

test("a tool as JSON is its definition, with the spacing of chat templates", () => {
  expect(toolText({ kind: "function", name: "now" }, "json")).toBe(
    '{"type": "function", "function": {"name": "now", "description": "", "parameters": {}}}',
  );
});

test("an invalid schema is harmless", () => {
  const odd = { properties: { a: null, b: [1], c: { type: 7 } }, required: "a", items: 3 };

  for (const kind of ["json", "types", "words"] as const)
    expect(toolText({ kind: "function", name: "odd", parameters: odd }, kind)).toContain("odd");
});

test("a member of several types, or one of several schemas, has all of them", () => {
  const parameters = {
    properties: {
      name: { type: ["string", "null"] },
      place: { anyOf: [{ properties: { city: {} } }, { properties: { port: { title: "No." } } }] },
    },
  };
  const tool: Tool = { kind: "function", name: "go", parameters };

  expect(toolText(tool, "types")).toContain("name?: string | null,\n");
  expect(toolText(tool, "words")).toBe("go  name place city port No.");
});
