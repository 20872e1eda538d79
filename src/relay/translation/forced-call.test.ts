import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest, Tool } from "#core/chat.ts";
import { CallWriter, withCallFormat } from "./forced-call.ts";

const TOOL: Tool = {
  kind: "function",
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", description: "Where." },
};
const OTHER: Tool = { ...TOOL, name: "time" };

function formatFor(
  asked: Partial<ChatRequest>,
  { forcedTools = false, isAble = true, isHeld = true } = {},
) {
  const answersForTool = (): boolean => isHeld;
  const route = {
    endpoint: { style: { outbound: isAble ? { answersForTool } : {} } },
    traits: { rules: { forcedTools } },
  };
  const request = {
    messages: [],
    stop: ["end"],
    tools: [TOOL],
    ...asked,
  } as unknown as ChatRequest;
  return withCallFormat(request, route as never);
}

const named = { toolChoice: { mode: "named", name: "weather", kind: "function" } } as const;
const required = { toolChoice: { mode: "required" } } as const;

describe("a tool call that cannot be forced", () => {
  test("becomes a response schema, while the tools stay declared", () => {
    expect(formatFor(named)).toEqual({
      tool: "weather",
      request: {
        messages: [],
        tools: [TOOL],
        toolChoice: { mode: "none" },
        format: {
          type: "json_schema",
          name: "weather",
          schema: {
            type: "object",
            description:
              'Arguments of a call of the tool "weather".\n\nTells the weather.\n\nWhere.',
          },
          strict: true,
        },
      } as unknown as ChatRequest,
    });
  });

  test("is described by the tool's name if it has no description", () => {
    const bare = { kind: "function", name: "weather", parameters: {} } as Tool;

    expect(formatFor({ ...named, tools: [bare] })?.request.format).toMatchObject({
      schema: { description: 'Arguments of a call of the tool "weather".' },
    });
  });

  test.each<[string, Partial<ChatRequest>]>([
    ["it is the only one", required],
    [
      "it is the only one of those allowed",
      {
        tools: [TOOL, OTHER],
        toolChoice: {
          mode: "allowed",
          required: true,
          tools: [{ kind: "function", name: "weather" }],
        } as never,
      },
    ],
    ["the answer may be any text", { ...named, format: { type: "text" } as never }],
    ["it is named among others", { ...named, tools: [OTHER, TOOL] }],
  ])("is the response if %s", (_, asked) => {
    expect(formatFor(asked)?.tool).toBe("weather");
  });

  test.each<[string, Partial<ChatRequest>]>([
    ["nothing is forced", {}],
    ["the model may choose", { toolChoice: { mode: "auto" } }],
    ["several may be called", { ...required, tools: [TOOL, OTHER] }],
    ["there is no tool", { ...required, tools: [] }],
    ["another one is named", { toolChoice: { ...named.toolChoice, name: "none" } }],
    ["it is of a vendor's own kind", { ...required, tools: [{ ...TOOL, kind: "custom" } as Tool] }],
    [
      "a named one is of a vendor's own kind",
      { ...named, tools: [{ ...TOOL, kind: "custom" } as Tool] },
    ],
    ["it has a vendor's own fields", { ...required, tools: [{ ...TOOL, rawFields: {} } as Tool] }],
    ["the model may search instead", { ...required, webSearch: {} as never }],
    [
      "the vendor's own tools may be called instead",
      { ...required, extra: { chat: { mcp_servers: [] } } as never },
    ],
    [
      "those allowed need not be called",
      {
        toolChoice: {
          mode: "allowed",
          required: false,
          tools: [{ kind: "function", name: "weather" }],
        } as never,
      },
    ],
    [
      "a vendor's own tools are allowed, too",
      {
        toolChoice: {
          mode: "allowed",
          required: true,
          extra: [],
          tools: [{ kind: "function", name: "weather" }],
        } as never,
      },
    ],
    ["it has no schema", { ...named, tools: [{ kind: "function", name: "weather" } as Tool] }],
    ["the response has its own schema", { ...named, format: { type: "json_object" } as never }],
  ])("is left unchanged if %s", (_, asked) => {
    expect(formatFor(asked)).toBeUndefined();
  });

  test("is left unchanged if the model can be forced, or the style has no schemas", () => {
    expect(formatFor(named, { forcedTools: true })).toBeUndefined();
    expect(formatFor(named, { isHeld: false })).toBeUndefined();
    expect(formatFor(named, { isAble: false })).toBeUndefined();
  });
});

describe("a response that is a tool call", () => {
  const open = (choice = 0): ChatEvent => ({ type: "open", choice, block: { type: "text" } });
  const delta = (text: string, choice = 0): ChatEvent => ({ type: "delta", choice, text });
  const close = (choice = 0): ChatEvent => ({ type: "close", choice });
  const finish = (reason: string, more: object = {}): ChatEvent =>
    ({ type: "finish", choice: 0, reason, ...more }) as ChatEvent;
  const cite = { type: "cite", choice: 0, citation: {} } as unknown as ChatEvent;
  const written = (...events: readonly ChatEvent[]): readonly ChatEvent[] => {
    const writer = new CallWriter("weather", "call_");
    return events.flatMap((event) => writer.take(event));
  };
  const CALL = {
    type: "open",
    choice: 0,
    block: {
      type: "tool_call",
      id: expect.stringMatching(/^call_\w{24}$/),
      name: "weather",
      kind: "function",
    },
  };

  test("is a call from its first brace on, without the text's citations, and ends like one", () => {
    expect(
      written(
        open(),
        delta(" \n"),
        delta(' {"a"'),
        cite,
        delta(":1}"),
        { type: "close", choice: 0, signature: "s" } as unknown as ChatEvent,
        finish("stop", { stopSequence: "end" }),
      ),
    ).toEqual([
      CALL,
      delta(' \n {"a"'),
      delta(":1}"),
      close(),
      { type: "finish", choice: 0, reason: "tool_calls" },
    ] as never);
  });

  test("for another reason than a stop is a call, and an incomplete one is reported as such", () => {
    expect(written(open(), delta("{}"), close(), finish("other")).at(-1)).toMatchObject({
      reason: "tool_calls",
    });
    expect(written(open(), delta("{"), close(), finish("length")).at(-1)).toEqual(finish("length"));
  });

  test("stays text if it is no object", () => {
    expect(
      written(open(), delta(" "), delta("No {"), cite, delta("."), close(), finish("stop")),
    ).toEqual([open(), delta(" No {"), cite, delta("."), close(), finish("stop")]);
  });

  test("without any text is no call, and no text is left", () => {
    expect(written(open(), close(), finish("stop"))).toEqual([finish("stop")]);
  });

  test("is the first object only, separately for each choice", () => {
    const events = written(open(), delta("{}"), close(), open(), delta("{}"), close());
    expect(events.map(({ type }) => type)).toEqual([
      "open",
      "delta",
      "close",
      "open",
      "delta",
      "close",
    ]);
    expect(events[3]).toEqual(open());
    const both = written(open(0), delta("{}", 0), close(0), open(1), delta("{}", 1), close(1));
    expect(both[3]).toMatchObject({ type: "open", choice: 1, block: { type: "tool_call" } });
  });

  test("leaves everything after it unchanged", () => {
    const end = { type: "close", choice: 0, signature: "s" } as unknown as ChatEvent;
    const text = [open(), delta("Done."), cite, end];

    expect(written(open(), delta("{}"), close(), ...text).slice(3)).toEqual(text);
  });

  test("leaves blocks that are no text, and other events, unchanged", () => {
    const reasoning: ChatEvent = { type: "open", choice: 0, block: { type: "reasoning" } };
    const events = [reasoning, delta("{}"), close(), { type: "ping" } as unknown as ChatEvent];

    expect(written(...events)).toEqual(events);
  });
});
