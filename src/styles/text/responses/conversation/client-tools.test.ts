import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import { readRequest } from "../request/facts.ts";
import { responses } from "../index.ts";
import { parseRequest } from "../request/request-in.ts";

const USER = { role: "user", content: "hi" };
const EXEC = { type: "custom", name: "exec", description: "Runs JavaScript." };
const WAIT = { type: "function", name: "wait", parameters: { type: "object", properties: {} } };
const LOOKUP = { ...WAIT, name: "lookup", description: "Looks a key up.", strict: false };
const MCP = { type: "namespace", name: "mcp__demo", description: "Demo.", tools: [LOOKUP] };
const ADDED = {
  type: "additional_tools",
  role: "developer",
  tools: [{ type: "namespace", name: "functions", tools: [EXEC, WAIT] }, MCP],
};

function read(fields: JsonObject): ChatRequest {
  const wire = { model: "m", input: [USER], ...fields };
  readRequest(wire);
  return parseRequest(wire);
}

function writtenFor(style: typeof chat, fields: JsonObject) {
  const report = new LossReport();
  const model = { kind: "chat", tools: true } as const;
  const body = style.outbound.buildRequest(read(fields), { report, model });
  return { body, lost: report.fields };
}

function namesIn(fields: JsonObject): readonly string[] {
  return (read(fields).tools ?? []).map(({ name }) => name);
}

/** The items of an answer that calls a tool of the hub, as they are streamed and as they are whole. */
function answered(fields: JsonObject, name: string, args: string, kind = "function"): Json {
  const request = read(fields);
  const events = [
    { type: "start", id: "r", model: "m", createdAt: 0 },
    { type: "open", choice: 0, block: { type: "tool_call", id: "call_1", name, kind } },
    { type: "delta", choice: 0, text: args.slice(0, 5) },
    { type: "delta", choice: 0, text: args.slice(5) },
    { type: "close", choice: 0 },
    { type: "finish", choice: 0, reason: "tool_calls" },
    { type: "usage", usage: NO_USAGE },
  ] as ChatEvent[];
  const encoder = responses.inbound.openEncoder(request);
  const stream = events.map((event) => encoder.encode(event)).join("") + encoder.end();
  expect(responsesStreamFaults(stream)).toEqual([]);
  const whole = responses.inbound.buildResponse(events, request);
  expect(stream).toContain(`"type":"response.output_item.done"`);
  return whole["output"] ?? null;
}

function refusal(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? error.param : String(error);
  }
}

describe("tools in namespaces", () => {
  test("are functions in other styles, with names of both parts", () => {
    const { body, lost } = writtenFor(chat, { tools: [MCP] });

    expect(body["tools"]).toMatchObject([
      { function: { name: "mcp__demo__lookup", description: "Demo.\n\nLooks a key up." } },
    ]);
    expect(lost).toEqual([]);
  });

  test("are called by namespace and name, as their client declared them", () => {
    expect(answered({ tools: [MCP] }, "mcp__demo__lookup", '{"a":1}')).toMatchObject([
      {
        type: "function_call",
        namespace: "mcp__demo",
        name: "lookup",
        call_id: "call_1",
        arguments: '{"a":1}',
      },
    ]);
  });

  test("in earlier calls have the names of their declarations", () => {
    const call = { type: "function_call", call_id: "c", name: "lookup", arguments: "{}" };
    const { body } = writtenFor(chat, {
      tools: [MCP],
      input: [
        USER,
        { ...call, namespace: "mcp__demo" },
        { type: "function_call_output", call_id: "c", output: "1" },
      ],
    });

    expect(body["messages"]).toMatchObject([
      {},
      { tool_calls: [{ function: { name: "mcp__demo__lookup" } }] },
      { tool_call_id: "c" },
    ]);
  });

  test("with colliding names get separate ones, and a function keeps its own", () => {
    const other = { type: "namespace", name: "mcp", tools: [{ ...LOOKUP, name: "demo__lookup" }] };
    const plain = { ...LOOKUP, name: "mcp__demo__lookup" };
    const tools = [MCP, other, plain];

    expect(namesIn({ tools })).toEqual([
      "mcp__demo__lookup_2",
      "mcp__demo__lookup_3",
      "mcp__demo__lookup",
    ]);
    expect(answered({ tools }, "mcp__demo__lookup_3", "{}")).toMatchObject([
      { namespace: "mcp", name: "demo__lookup" },
    ]);
    expect(answered({ tools }, "mcp__demo__lookup", "{}")).toMatchObject([
      { name: "mcp__demo__lookup" },
    ]);
  });

  test("can be chosen", () => {
    const choice = { type: "function", namespace: "mcp__demo", name: "lookup" };
    const { body } = writtenFor(chat, { tools: [MCP], tool_choice: choice });

    expect(body["tool_choice"]).toEqual({
      type: "function",
      function: { name: "mcp__demo__lookup" },
    });
  });
});

describe("tools that an input item adds", () => {
  const input = [ADDED, USER];

  test.each([
    ["chat", chat],
    ["messages", messages],
    ["gemini", gemini],
  ])("reach upstreams of the %s style without a loss", (_, style) => {
    const { body, lost } = writtenFor(style, { input });

    expect(namesIn({ input })).toEqual(["exec", "wait", "mcp__demo__lookup"]);
    expect(JSON.stringify(body["tools"])).toContain("mcp__demo__lookup");
    expect(lost).toEqual([]);
  });

  test("are called as their client declared them", () => {
    expect(answered({ input }, "exec", "1 + 1", "custom")).toMatchObject([
      { type: "custom_tool_call", namespace: "functions", name: "exec", input: "1 + 1" },
    ]);
    expect(answered({ input }, "wait", "{}")).toMatchObject([
      { type: "function_call", namespace: "functions", name: "wait" },
    ]);
  });

  test("stay in place for an upstream of this style", () => {
    const call = { type: "function_call", call_id: "c", name: "wait", namespace: "functions" };
    const result = { type: "function_call_output", call_id: "c", output: "1" };
    const fields = {
      tools: [LOOKUP],
      input: [
        ADDED,
        USER,
        { ...call, arguments: "{}" },
        result,
        { ...ADDED, tools: [{ ...WAIT, name: "later" }] },
      ],
    };
    const { body, lost } = writtenFor(responses as typeof chat, fields);

    expect(body).toMatchObject({ tools: [LOOKUP], input: fields.input });
    expect(JSON.stringify(body["tools"])).toBe(JSON.stringify([LOOKUP]));
    expect(lost).toEqual([]);
  });

  test("are declared once, if they are among the other tools too", () => {
    const again = { ...ADDED, tools: [LOOKUP] };

    expect(namesIn({ tools: [LOOKUP], input: [again, USER] })).toEqual(["lookup"]);
  });
});

describe("an unknown input item", () => {
  const item = { type: "novel_item", role: "developer", words: "x" };

  test("is reported by its type, with any role", () => {
    expect(writtenFor(chat, { input: [USER, item] }).lost).toEqual(["messages.novel_item"]);
    expect(writtenFor(messages, { input: [USER, item] }).lost).toEqual(["messages.novel_item"]);
    expect(writtenFor(gemini, { input: [USER, item] }).lost).toContain("messages.novel_item");
    const assistant = { ...item, role: "assistant" };
    expect(writtenFor(chat, { input: [USER, assistant] }).lost).toEqual(["messages.novel_item"]);
  });

  test("reaches an upstream of this style", () => {
    const { body, lost } = writtenFor(responses as typeof chat, { input: [USER, item] });

    expect(body["input"]).toEqual([USER, item]);
    expect(lost).toEqual([]);
  });
});

describe("a message between agents of a client", () => {
  const told = (payload: string): JsonObject => ({
    type: "agent_message",
    author: "/home/dev",
    recipient: "/home/dev/list",
    content: [
      { type: "input_text", text: "Payload:\n" },
      { type: "encrypted_content", encrypted_content: payload },
    ],
  });

  test("is user text, if it is plain text", () => {
    const { body, lost } = writtenFor(chat, { input: [USER, told("List the files.")] });

    expect(body["messages"]).toMatchObject([
      {},
      { role: "user", content: expect.stringMatching(/^Payload:\n+List the files\.$/) },
    ]);
    expect(lost).toEqual([]);
  });

  test("is reported, if only the style's first vendor can read it", () => {
    const { lost } = writtenFor(chat, { input: [USER, told("gAAAAABqcipher")] });

    expect(lost).toEqual(["messages.encrypted_content"]);
  });

  test("reaches an upstream of this style unchanged", () => {
    for (const item of [told("List the files."), told("gAAAAABqcipher")]) {
      const { body, lost } = writtenFor(responses as typeof chat, { input: [USER, item] });

      expect(body["input"]).toEqual([USER, item]);
      expect(lost).toEqual([]);
    }
  });
});

describe("a tool that has a type of the style and runs at the client", () => {
  const SHELL = { type: "shell", environment: { type: "local" } };
  const PATCH = { type: "apply_patch" };
  const LOCAL = { type: "local_shell" };

  test("is a function in other styles, with a schema", () => {
    const { body, lost } = writtenFor(chat, { tools: [SHELL, PATCH, LOCAL] });

    expect(body["tools"]).toMatchObject([
      { function: { name: "shell", parameters: { required: ["commands"] } } },
      { function: { name: "apply_patch", parameters: { required: ["type", "path"] } } },
      { function: { name: "local_shell", parameters: { required: ["command"] } } },
    ]);
    expect(lost).toEqual([]);
  });

  test.each<[string, JsonObject, string, string, JsonObject]>([
    [
      "a shell",
      SHELL,
      "shell",
      '{"commands":["ls","pwd"],"timeout_ms":5}',
      {
        type: "shell_call",
        action: { commands: ["ls", "pwd"], timeout_ms: 5, max_output_length: null },
        environment: { type: "local" },
      },
    ],
    [
      "a local shell",
      LOCAL,
      "local_shell",
      '{"command":["ls","-l"],"working_directory":"/tmp"}',
      {
        type: "local_shell_call",
        action: { type: "exec", command: ["ls", "-l"], env: {}, working_directory: "/tmp" },
      },
    ],
    [
      "a patch",
      PATCH,
      "apply_patch",
      '{"type":"update_file","path":"a.ts","diff":"@@\\n-a\\n+b"}',
      {
        type: "apply_patch_call",
        operation: { type: "update_file", path: "a.ts", diff: "@@\n-a\n+b" },
      },
    ],
    [
      "a file to delete",
      PATCH,
      "apply_patch",
      '{"type":"delete_file","path":"a.ts"}',
      { type: "apply_patch_call", operation: { type: "delete_file", path: "a.ts" } },
    ],
    [
      "a shell, with arguments that are no JSON, which runs nothing",
      SHELL,
      "shell",
      "rm -rf /",
      { type: "shell_call", action: { commands: [], timeout_ms: null, max_output_length: null } },
    ],
  ])("is called in its own form: %s", (_, tool, name, args, item) => {
    expect(answered({ tools: [tool] }, name, args)).toMatchObject([
      { ...item, call_id: "call_1", status: "completed" },
    ]);
  });

  test("is in the history as a function call, with its result", () => {
    const { body, lost } = writtenFor(chat, {
      tools: [SHELL, PATCH],
      input: [
        USER,
        {
          type: "shell_call",
          call_id: "c1",
          action: { commands: ["ls"], timeout_ms: null },
          status: "completed",
        },
        {
          type: "shell_call_output",
          call_id: "c1",
          output: [{ stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 2 } }],
        },
        {
          type: "apply_patch_call",
          call_id: "c2",
          operation: { type: "delete_file", path: "x" },
          status: "completed",
        },
        {
          type: "apply_patch_call_output",
          call_id: "c2",
          status: "failed",
          output: "no such file",
        },
      ],
    });

    expect(body["messages"]).toMatchObject([
      {},
      { tool_calls: [{ function: { name: "shell", arguments: '{"commands":["ls"]}' } }] },
      { role: "tool", tool_call_id: "c1", content: "a\nb\n[exit code 2]" },
      {
        tool_calls: [
          { function: { name: "apply_patch", arguments: '{"type":"delete_file","path":"x"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c2", content: "Error: no such file" },
    ]);
    expect(lost).toEqual([]);
  });

  test("is sent unchanged to an upstream of this style, including a call without its result", () => {
    const call = { type: "shell_call", call_id: "c1", action: { commands: ["ls"] } };
    const { body } = writtenFor(responses as typeof chat, { tools: [SHELL], input: [USER, call] });

    expect(body["tools"]).toEqual([SHELL]);
    expect(body["input"]).toMatchObject([
      USER,
      call,
      { type: "shell_call_output", call_id: "c1", output: [{ outcome: { type: "exit" } }] },
    ]);
  });

  test("and a function of the same name are distinguished", () => {
    const own = { ...WAIT, name: "shell" };

    expect(namesIn({ tools: [SHELL, own] })).toEqual(["shell_2", "shell"]);
    expect(answered({ tools: [SHELL, own] }, "shell", "{}")).toMatchObject([
      { type: "function_call", name: "shell" },
    ]);
    expect(answered({ tools: [SHELL, own] }, "shell_2", "{}")).toMatchObject([
      { type: "shell_call" },
    ]);
  });

  test("can be chosen", () => {
    const { body } = writtenFor(chat, { tools: [PATCH], tool_choice: { type: "apply_patch" } });

    expect(body["tool_choice"]).toMatchObject({ function: { name: "apply_patch" } });
  });

  test("but a shell in a vendor's container runs at the vendor, and is refused by name", () => {
    const tools = [{ type: "shell", environment: { type: "container_auto" } }];

    expect(refusal(() => writtenFor(chat, { tools }))).toBe("tools.shell");
  });
});
