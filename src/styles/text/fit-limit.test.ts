import { describe, expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { BodyEditor } from "./body-editor.ts";
import { fitLimit } from "./fit-limit.ts";

function fitted(limit: number, model: ModelTraits): [unknown, readonly string[]] {
  const report = new LossReport();
  const editor = new BodyEditor({ max_tokens: limit }, report);
  fitLimit(editor, ["max_tokens"], { report, model });
  return [editor.get("max_tokens"), report.fields];
}

describe("a limit on the output is lowered, and reported, if it is", () => {
  test.each<[string, ModelTraits, number]>([
    ["above the model's limit", { contextTokens: 256_000, maxOutputTokens: 30_000 }, 30_000],
    ["above the context of a model without a limit", { contextTokens: 60_000 }, 60_000],
  ])("%s", (_, model, most) => {
    expect(fitted(64_000, model)).toEqual([most, ["max_tokens"]]);
    expect(fitted(most, model)).toEqual([most, []]);
  });

  test("not if nothing is known of the model", () => {
    expect(fitted(64_000, {})).toEqual([64_000, []]);
  });
});
