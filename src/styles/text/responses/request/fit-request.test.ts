import { expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { fitRequest } from "./fit-request.ts";

const dialect = { reasonersRefuse: ["temperature", "top_p"] };
const REASONS: ModelTraits = { reasoningControls: { efforts: ["none", "low", "high"] } };

function fitted(body: JsonObject, model: ModelTraits): [JsonObject, readonly string[]] {
  const report = new LossReport();
  const fit = { ...body, ...fitRequest(body, { model, dialect, report }) };
  return [fit, report.fields];
}

test("a reasoning model does not get options that it refuses, and they are reported as lost", () => {
  expect(fitted({ model: "m", temperature: 0.2, top_p: 0.95 }, REASONS)).toEqual([
    { model: "m" },
    ["temperature", "top_p"],
  ]);
});

test("a default value is no loss", () => {
  expect(fitted({ temperature: 1, top_p: 1 }, REASONS)).toEqual([{}, []]);
});

test("a model that does not reason, or has reasoning turned off, keeps all of it", () => {
  const body = { temperature: 0.2 };
  const silent = { ...body, reasoning: { effort: "none" } };

  expect(fitted(body, {})).toEqual([body, []]);
  expect(fitted(silent, REASONS)).toEqual([silent, []]);
});

test("a vendor that refuses unknown members gets none, and they are reported as lost", () => {
  const report = new LossReport();
  const body = { model: "m", input: "hi", top_k: 3, enable_thinking: null };
  const knows = new Set(["model", "input"]);
  const edits = fitRequest(body, { model: {}, dialect: { knows }, report });

  expect(edits).toEqual({ top_k: undefined, enable_thinking: undefined });
  expect("enable_thinking" in edits).toBe(true);
  expect(report.fields).toEqual(["top_k"]);
  expect(fitRequest(body, { model: {}, report })).toEqual({});
});

test.each([
  [4, 16, ["max_output_tokens"]],
  [16, undefined, []],
  [0, undefined, []],
])("a limit of %p is raised to the vendor's minimum", (limit, raised, lost) => {
  const report = new LossReport();
  const context = { model: {}, dialect: { minOutputTokens: 16 }, report };
  const edits = fitRequest({ max_output_tokens: limit }, context);

  expect([edits["max_output_tokens"], report.fields]).toEqual([raised, lost]);
});
