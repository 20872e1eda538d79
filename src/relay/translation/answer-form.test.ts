import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { declaresOwnTools, isHeldByTool, unpackerFor, withFormatTool } from "./answer-form.ts";

const SCHEMA = { type: "object", properties: {} };
const FORMAT = { type: "json_schema", name: "report", schema: SCHEMA };

function routeBy(way: string | undefined) {
  const outbound = way === undefined ? {} : { schemaBy: () => way };
  return { endpoint: { style: { outbound } }, traits: {} } as never;
}

const asking = (more: object = {}): ChatRequest =>
  ({ messages: [], format: FORMAT, ...more }) as unknown as ChatRequest;
const toolFor = (more: object = {}, route: unknown = routeBy("tool")): ChatRequest | undefined =>
  withFormatTool(asking(more), route as never);
const turnWith = (type: string): object => ({
  messages: [{ blocks: [{ type: "text" }] }, { blocks: [{ type: "text" }, { type }] }],
});

describe("a schema that an upstream can enforce only for tool calls", () => {
  test("becomes a tool that must be called", () => {
    expect(toolFor()).toEqual({
      messages: [],
      tools: [
        {
          kind: "function",
          name: "report",
          description: "Takes the answer. Call it once, with the whole answer.",
          parameters: SCHEMA,
        },
      ],
      toolChoice: { mode: "named", name: "report", kind: "function" },
    } as never);
    expect(toolFor({ format: { ...FORMAT, description: "A report." } })?.tools).toMatchObject([
      { description: "A report." },
    ]);
  });

  test("has a name that every vendor accepts", () => {
    const nameFor = (name: string) => toolFor({ format: { ...FORMAT, name } })?.tools?.[0]?.name;

    expect(nameFor("My-report2")).toBe("My-report2");
    expect(nameFor("2nd")).toBe("answer");
    expect(nameFor("a report")).toBe("answer");
    expect(nameFor("a".repeat(65))).toBe("answer");
  });

  test.each<[string, object]>([
    ["there is no schema", { format: undefined }],
    ["the answer may be any JSON", { format: { type: "json_object" } }],
    ["it is no object's", { format: { ...FORMAT, schema: { type: "array" } } }],
    ["it has no content", { format: { ...FORMAT, schema: undefined } }],
    ["the client has tools", { tools: [{ name: "x" }] }],
    ["the client sets a tool choice", { toolChoice: { mode: "none" } }],
    ["the client wants a search", { webSearch: {} }],
    ["the client has a vendor's own tools", { extra: { chat: { mcp_servers: [] } } }],
    ["an earlier turn called a tool", turnWith("tool_call")],
    ["an earlier turn has a tool's result", turnWith("tool_result")],
    ["the model has reasoning turned on", { reasoning: { enabled: true } }],
    ["the model reasons with some effort", { reasoning: { effort: "low" } }],
    ["the model has a budget to reason", { reasoning: { budgetTokens: 100 } }],
  ])("is unchanged if %s", (_, more) => {
    expect(toolFor(more)).toBeUndefined();
  });

  test.each<[string, object]>([
    ["has reasoning turned off", { reasoning: { enabled: false, effort: "low" } }],
    ["has no effort to make", { reasoning: { effort: "none" } }],
    ["has no budget to reason", { reasoning: { budgetTokens: 0 } }],
    ["has no reasoning option", { reasoning: {} }],
    ["has an earlier turn of text", turnWith("text")],
  ])("becomes a tool if the model %s", (_, more) => {
    expect(toolFor(more)).toBeDefined();
  });

  test("is unchanged if the upstream needs no tool for it, or is reached by a library", () => {
    for (const way of ["format", "words", undefined]) {
      expect(toolFor({}, routeBy(way))).toBeUndefined();
      expect(isHeldByTool(SCHEMA, routeBy(way))).toBe(false);
    }
    expect(isHeldByTool(SCHEMA, routeBy("tool"))).toBe(true);
    expect(toolFor({}, { endpoint: undefined, traits: {} })).toBeUndefined();
  });
});

test("a request declares a vendor's own tools under the vendors' names", () => {
  expect(declaresOwnTools({ chat: { tools: [] } } as never)).toBe(true);
  expect(declaresOwnTools({ a: {}, messages: { x: 1, mcp_servers: [] } } as never)).toBe(true);
  expect(declaresOwnTools({ chat: { "tools.0": 1 } } as never)).toBe(true);
  expect(declaresOwnTools({ chat: { toolset: 1, my_tools: 1 } } as never)).toBe(false);
  expect(declaresOwnTools()).toBe(false);
});

describe("a response in another form than the upstream's", () => {
  const open = (type: string, choice = 0, name = "report"): ChatEvent =>
    ({ type: "open", choice, block: type === "text" ? { type } : { type, name } }) as ChatEvent;
  const delta = (text: string, choice = 0): ChatEvent => ({ type: "delta", choice, text });
  const close = (choice = 0, more: object = {}): ChatEvent => ({ type: "close", choice, ...more });
  const finish = (reason: string): ChatEvent =>
    ({ type: "finish", choice: 0, reason }) as ChatEvent;
  const unpacked = (format: object, isByTool: boolean, ...events: readonly ChatEvent[]) => {
    const unpack = unpackerFor(asking({ format }), isByTool);
    return unpack && events.flatMap((event) => unpack(event));
  };
  const ONLY = { ...FORMAT, only: "value" };

  test("is unchanged if it is text, as the client expects", () => {
    expect(unpackerFor(asking(), false)).toBeUndefined();
    expect(unpackerFor(asking({ format: undefined }), true)).toBeUndefined();
  });

  test("is the arguments of the tool call as text, and ends like text", () => {
    const call = [open("tool_call"), delta("{"), delta("}"), close(0, { signature: "s" })];

    expect(unpacked(FORMAT, true, ...call, finish("tool_calls"))).toEqual([
      open("text"),
      delta("{"),
      delta("}"),
      close(),
      { type: "finish", choice: 0, reason: "stop" },
    ]);
    expect(unpacked(FORMAT, true, ...call, finish("length"))?.at(-1)).toEqual(finish("length"));
  });

  test("leaves other blocks and calls unchanged", () => {
    const events = [
      open("text"),
      delta("Hm."),
      close(0, { signature: "s" }),
      open("tool_call", 0, "another"),
      delta("{}"),
      close(),
      finish("tool_calls"),
      { type: "ping" } as unknown as ChatEvent,
    ];

    expect(unpacked(FORMAT, true, ...events)).toEqual(events);
  });

  test("leaves everything after the call unchanged", () => {
    const text = [open("text"), delta("Done."), close(0, { signature: "s" })];
    const call = [open("tool_call"), delta("{}"), close()];

    expect(unpacked(FORMAT, true, ...call, ...text)?.slice(3)).toEqual(text);
  });

  test("is the first call only, of each choice", () => {
    const call = (choice: number, text: string) => [
      open("tool_call", choice),
      delta(text, choice),
      close(choice),
    ];

    expect(unpacked(FORMAT, true, ...call(0, "1"), ...call(0, "2"), ...call(1, "3"))).toEqual([
      open("text"),
      delta("1"),
      close(),
      open("text", 1),
      delta("3", 1),
      close(1),
    ]);
  });

  test.each([
    ['{"value":"yes"}', "yes"],
    ['{"value":[1,2]}', "[1,2]"],
    ['{"value":null}', "null"],
    ['{"other":1}', '{"other":1}'],
    ["7", "7"],
  ])("is of %s the one value that the client wants", (text, value) => {
    const [head, tail] = [text.slice(0, 3), text.slice(3)];

    for (const isByTool of [true, false]) {
      const type = isByTool ? "tool_call" : "text";
      expect(unpacked(ONLY, isByTool, open(type), delta(head), delta(tail), close())).toEqual([
        open("text"),
        delta(value),
        close(),
      ]);
    }
  });

  test("of text keeps its finish reason, and is empty without content", () => {
    const end = close(0, { signature: "s" });

    expect(unpacked(ONLY, false, open("text"), end)).toEqual([open("text"), end]);
    const reasoning = [open("reasoning"), delta('{"value":1}'), end];
    expect(unpacked(ONLY, false, ...reasoning)).toEqual(reasoning);
  });

  test("has for each text its own value", () => {
    const text = [open("text"), delta('{"value":1}'), close()];

    expect(unpacked(ONLY, false, ...text, ...text)).toEqual([
      open("text"),
      delta("1"),
      close(),
      open("text"),
      delta("1"),
      close(),
    ]);
  });
});
