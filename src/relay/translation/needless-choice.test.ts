import { describe, expect, test } from "bun:test";
import type { ChatRequest, Tool } from "#core/chat.ts";
import { hasNeedlessChoice } from "./needless-choice.ts";

const TOOL: Tool = { kind: "function", name: "f", parameters: {} } as Tool;
const isNeedless = (more: Partial<ChatRequest>): boolean =>
  hasNeedlessChoice({ model: "m", messages: [], stream: false, sampling: {}, ...more });
const forced = { toolChoice: { mode: "required" } } as const;

describe("a forced tool call", () => {
  test("is unnecessary if no tool is declared", () => {
    expect(isNeedless(forced)).toBe(true);
    expect(isNeedless({ toolChoice: { mode: "tool", name: "f" } as never })).toBe(true);
    expect(isNeedless({ ...forced, tools: [], extra: { chat: { user: "u" } } })).toBe(true);
    expect(isNeedless({ ...forced, extra: { gemini: { toolset: "t" } } })).toBe(true);
  });

  test("is necessary if there is a tool, also one that the vendor runs", () => {
    expect(isNeedless({ ...forced, tools: [TOOL] })).toBe(false);
    expect(isNeedless({ ...forced, webSearch: {} as never })).toBe(false);
    expect(isNeedless({ ...forced, extra: { messages: { user: "u", tools: [] } } })).toBe(false);
    expect(isNeedless({ ...forced, extra: { gemini: { "tools.code": {} } } })).toBe(false);
  });

  test("is not one if the request leaves the choice to the model, or forbids calls", () => {
    expect(isNeedless({})).toBe(false);
    expect(isNeedless({ toolChoice: { mode: "auto" } })).toBe(false);
    expect(isNeedless({ toolChoice: { mode: "none" } })).toBe(false);
  });
});
