import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import {
  fitName,
  MAX_TOOL_NAME,
  originalNames,
  ownName,
  readName,
  standInName,
} from "./tool-names.ts";

const LONG = "mcp__a_very_long_server_name_of_some_company__create_pull_request_review_comment_v2";

function call(name: string): ChatEvent {
  const block = { type: "tool_call", id: "1", name, kind: "function" } as const;
  return { type: "open", choice: 0, block };
}

describe("a tool name above the vendors' maximum length", () => {
  test.each([
    ["too long", LONG],
    ["too long once it is escaped", "größe.".repeat(10)],
    ["too long with only unsupported characters", "…".repeat(80)],
  ])("is shortened: %s", (_, name) => {
    for (const written of [fitName(name), standInName(name), ownName(LONG)]) {
      expect(written).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }
    expect(readName(standInName(name)).kind).toBe("custom");
  });

  test("differs from one with the same beginning", () => {
    expect(fitName(`${LONG}a`)).not.toBe(fitName(`${LONG}b`));
    expect(fitName(LONG)).toBe(fitName(LONG));
  });

  test.each([
    ["a function", fitName],
    ["a tool of free text", standInName],
  ])("is restored in the response, as %s", (_, write) => {
    const names = [LONG, "größe.".repeat(10), "a_x2e_".repeat(20)];
    const tools = names.map((name) => ({ kind: "function", name }) as const);
    const named = originalNames({ tools, messages: [] });

    for (const name of names) {
      expect(named(call(readName(write(name)).name))).toEqual(call(name));
    }
  });

  test("is restored if only the conversation has it", () => {
    const block = {
      type: "tool_call",
      id: "1",
      name: LONG,
      arguments: "",
      kind: "function",
    } as const;
    const named = originalNames({ messages: [{ role: "assistant", blocks: [block] }] });

    expect(named(call(fitName(LONG)))).toEqual(call(LONG));
  });
});

test("a name of the maximum length is unchanged", () => {
  const name = "a".repeat(MAX_TOOL_NAME);

  expect([fitName(name), ownName(name)]).toEqual([name, name]);
});

test("a name in a response that ends like a digest is unchanged", () => {
  const named = originalNames({ tools: [{ kind: "function", name: "other" }], messages: [] });

  expect(named(call("look_up_0123456789ab"))).toEqual(call("look_up_0123456789ab"));
});
