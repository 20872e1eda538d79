import { expect, test } from "bun:test";
import { sampleSchema } from "./sample-schema.ts";

test("a schema of samples requires the members that all samples have", () => {
  const samples = [
    { code: 400, error: { message: "a", param: null } },
    { code: 500, error: { message: "b", param: "x" }, retry: true },
  ];

  expect(sampleSchema(samples)).toEqual({
    type: "object",
    properties: {
      code: { type: "integer" },
      error: {
        type: "object",
        properties: { message: { type: "string" }, param: { type: ["null", "string"] } },
        required: ["message", "param"],
      },
      retry: { type: "boolean" },
    },
    required: ["code", "error"],
  });
});

test("items of lists are described together", () => {
  expect(sampleSchema([[1, 2.5], ["x"]])).toEqual({
    type: "array",
    items: { type: ["integer", "number", "string"] },
  });
});
