import { expect, describe, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { ark } from "./ark.ts";

function sent(model: string, fields: JsonObject): JsonObject {
  const body = { model, ...fields };
  const edits = ark.text[0]?.adaptRequest?.(body, model) ?? {};
  const { model: _, ...rest } = JSON.parse(JSON.stringify({ ...body, ...edits })) as JsonObject;
  return rest;
}

const NEW = "doubao-seed-1-6-250615";
const OFF = { thinking: { type: "disabled" } };
const ON = { thinking: { type: "enabled" } };

describe("[A4.3-08] a model thinks only if the request asks for it", () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ["a model that thinks by default has it turned off", NEW, {}, OFF],
    ["null counts as omitted", NEW, { thinking: null }, OFF],
    ["so are the later ones", "doubao-seed-2-0-pro-260215", {}, OFF],
    ["a request for thinking turns it on", NEW, ON, ON],
    [
      "a request for an effort turns it on",
      NEW,
      { reasoning_effort: "high" },
      { reasoning_effort: "high" },
    ],
    [
      "the lowest effort turns it off",
      NEW,
      { reasoning_effort: "minimal" },
      { reasoning_effort: "minimal", ...OFF },
    ],
    ["a model that does nothing else is let be", "doubao-seed-1-6-thinking-250715", {}, {}],
    ["a model that does not know the field is let be", "doubao-1-5-pro-32k-250115", {}, {}],
    ["so is one behind a name of its owner", "ep-20250101-abcde", {}, {}],
  ])("%s", (_what, model, fields, expected) => {
    expect(sent(model, fields)).toEqual(expected);
  });
});

test("if both token limits are set, the one that includes thinking is sent, since the vendor accepts only one", () => {
  expect(sent("m", { max_tokens: 5, max_completion_tokens: 9 })).toEqual({
    max_completion_tokens: 9,
  });
  expect(sent("m", { max_tokens: 5 })).toEqual({ max_tokens: 5 });
});
