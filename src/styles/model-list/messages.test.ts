import { expect, test } from "bun:test";
import type { ModelTraits } from "#core/model.ts";
import { memberOf } from "#lib/values.ts";
import { messagesModelList } from "./messages.ts";

const DAY = 86_400;
const NOW = 1_800_000_000;

function shown(traits: ModelTraits) {
  const model = { id: "m", owner: "o", createdAt: NOW - DAY, traits, price: undefined };
  return messagesModelList.one(model, NOW * 1_000);
}

const CLAUDE: ModelTraits = {
  kind: "chat",
  line: "opus",
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  input: ["text", "image", "file"],
  reasoningControls: { efforts: ["low", "medium", "high", "xhigh", "max"] },
  rules: { thinking: ["adaptive"] },
};

test("a model is listed with its dates, limits and line", () => {
  expect(shown(CLAUDE)).toMatchObject({
    type: "model",
    id: "m",
    created_at: new Date((NOW - DAY) * 1_000).toISOString().replace(".000", ""),
    lifecycle: "active",
    line: "opus",
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
  });
});

test("a model with an end date is deprecated until that day, and retired from then on", () => {
  const soon = { ...CLAUDE, retiresAt: NOW + 1 };
  expect(shown(soon)).toMatchObject({ lifecycle: "deprecated" });
  expect(shown({ ...CLAUDE, deprecatedAt: NOW })).toMatchObject({ lifecycle: "deprecated" });
  expect(shown({ ...CLAUDE, retiresAt: NOW })).toMatchObject({ lifecycle: "retired" });
});

test("a client can read from it how to request thinking", () => {
  const no = { supported: false };
  const yes = { supported: true };
  expect(memberOf(shown(CLAUDE)["capabilities"], "thinking")).toEqual({
    supported: true,
    types: { adaptive: yes, between_tools: no, disabled: no, enabled: no },
  });
  expect(memberOf(shown(CLAUDE)["capabilities"], "effort")).toEqual({
    supported: true,
    low: yes,
    medium: yes,
    high: yes,
    xhigh: yes,
    max: yes,
  });
  // Of other vendors' models all is translated that can be.
  const other = { kind: "chat", reasoningControls: {} } as const;
  expect(memberOf(memberOf(shown(other)["capabilities"], "thinking"), "types")).toEqual({
    adaptive: yes,
    between_tools: no,
    disabled: yes,
    enabled: yes,
  });
});

test("an unknown model has no facts", () => {
  expect(shown({})).toMatchObject({
    capabilities: null,
    line: null,
    max_input_tokens: null,
    max_tokens: null,
  });
});
