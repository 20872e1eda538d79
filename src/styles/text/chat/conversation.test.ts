import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AllowedTool, Block, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { SEED, times } from "#test/seed.ts";
import type { ChatDialect } from "./request/dialect.ts";
import { buildRequest } from "./request/request-out.ts";
import { parseResponse } from "./answer/response-in.ts";
import { fitName, originalNames, ownName, readName, standInName } from "#styles/text/tool-names.ts";

/** A conversation of another style's caller, as an upstream of this one gets it. */
function written(
  messages: readonly Message[],
  request: Partial<ChatRequest> = {},
  dialect: ChatDialect = {},
): { body: JsonObject; messages: readonly unknown[]; lost: readonly string[] } {
  const report = new LossReport();
  const body = buildRequest(
    { model: "m", messages, stream: false, sampling: {}, ...request },
    { report, model: {}, dialect: { ...dialect } },
  );
  return { body, messages: listOf(body["messages"]), lost: report.fields };
}

function said(role: Message["role"], ...blocks: Block[]): Message {
  return { role, blocks };
}

function text(words: string): Block {
  return { type: "text", text: words };
}

function call(id: string, name = "f", args = "{}"): Block {
  return { type: "tool_call", id, name, arguments: args, kind: "function" };
}

function result(callId: string, ...blocks: Block[]): Block {
  return { type: "tool_result", callId, blocks };
}

function wireCall(id: string, name = "f", args = "{}"): JsonObject {
  return { id, type: "function", function: { name, arguments: args } };
}

test("if users may not follow tools, an assistant message is inserted between them", () => {
  const messages = [
    said("assistant", call("a")),
    said("user", result("a", text("1")), text("so?")),
    said("assistant", call("b")),
    said("tool", result("b", text("2"))),
  ];
  const roles = (dialect: ChatDialect): unknown[] =>
    written(messages, {}, dialect).messages.map((message) => memberOf(message as Json, "role"));

  expect(roles({})).toEqual(["assistant", "tool", "user", "assistant", "tool"]);
  expect(roles({ usersAfterTools: false })).toEqual([
    "assistant",
    "tool",
    "assistant",
    "user",
    "assistant",
    "tool",
  ]);
});

describe("[A4.3-02] every tool call is followed by its result, for any order of the conversation", () => {
  test("calls and results in messages of their own", () => {
    expect(
      written([
        said("assistant", call("a")),
        said("assistant", call("b")),
        said("tool", result("b", text("2"))),
        said("tool", result("a", text("1"))),
      ]).messages,
    ).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall("a"), wireCall("b")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
    ]);
  });

  test("a result that came late", () => {
    expect(
      written([
        said("assistant", text("wait"), call("a")),
        said("user", text("hurry")),
        said("tool", result("a", text("1"))),
      ]).messages,
    ).toEqual([
      { role: "assistant", content: "wait", tool_calls: [wireCall("a")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "user", content: "hurry" },
    ]);
  });

  test("an empty turn between a call and its result is omitted", () => {
    for (const empty of [said("assistant"), said("assistant", text(""))]) {
      const { messages } = written([
        said("user", text("hi")),
        said("assistant", call("a")),
        empty,
        said("tool", result("a", text("1"))),
        empty,
      ]);

      expect(messages).toMatchObject([
        { role: "user" },
        { role: "assistant", tool_calls: [wireCall("a")] },
        { role: "tool", tool_call_id: "a" },
      ]);
      expect(messages.length).toBe(3);
    }
  });

  test("a call that was interrupted", () => {
    const [, answer, user] = written([
      said("assistant", call("a")),
      said("user", text("stop")),
    ]).messages;

    expect(answer).toMatchObject({ role: "tool", tool_call_id: "a" });
    expect(user).toEqual({ role: "user", content: "stop" });
  });

  test("a result without a tool call", () => {
    expect(written([said("tool", result("gone", text("1")))]).messages).toEqual([
      { role: "user", content: "Result of a tool: 1" },
    ]);
  });

  test("ids that are reused in each turn", () => {
    expect(
      written([
        said("assistant", call("call_0")),
        said("user", result("call_0", text("1"))),
        said("assistant", call("call_0")),
        said("user", result("call_0", text("2"))),
      ]).messages,
    ).toMatchObject([{}, { content: "1" }, {}, { content: "2" }]);
  });

  test("an id of two calls becomes two, and each gets its result", () => {
    expect(
      written([
        said("assistant", call("a"), call("a"), call("a_2")),
        said("user", result("a", text("1")), result("a", text("2")), result("a_2", text("3"))),
      ]).messages,
    ).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [wireCall("a"), wireCall("a_2"), wireCall("a_2_2")],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "a_2", content: "2" },
      { role: "tool", tool_call_id: "a_2_2", content: "3" },
    ]);
  });

  test("a result before its call, and a second one after it, become user text", () => {
    expect(
      written([
        said("user", result("a", text("0"))),
        said("assistant", call("a")),
        said("user", result("a", text("1")), result("a", text("2"))),
      ]).messages,
    ).toEqual([
      { role: "user", content: "Result of a tool: 0" },
      { role: "assistant", content: null, tool_calls: [wireCall("a")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "user", content: "Result of a tool: 2" },
    ]);
  });

  test("ids above the maximum length", () => {
    const id = `toolu_${"x".repeat(90)}`;
    const [first, second] = written([
      said("assistant", call(id)),
      said("user", result(id, text("1"))),
    ]).messages as [{ tool_calls: [{ id: string }] }, { tool_call_id: string }];

    expect(first.tool_calls[0].id.length).toBeLessThanOrEqual(40);
    expect(second.tool_call_id).toBe(first.tool_calls[0].id);
  });

  test("arguments that are empty or truncated", () => {
    const args = (words: string): unknown =>
      written([said("assistant", call("a", "f", words))]).messages[0];

    expect(args("")).toMatchObject({ tool_calls: [wireCall("a")] });
    expect(args('{"x":')).toMatchObject({ tool_calls: [wireCall("a", "f", '{"x":')] });
  });

  test("a result that is only an image gets a reference to it", () => {
    expect(
      written([
        said("assistant", call("a")),
        said(
          "user",
          result("a", { type: "image", source: { kind: "url", url: "https://a.example/b.png" } }),
        ),
      ]).messages,
    ).toMatchObject([
      {},
      { role: "tool", content: "What the tool returned is shown in the next message." },
      { role: "user", content: [{ type: "image_url" }] },
    ]);
  });
});

describe("content of another style is omitted from a message, which stays plain", () => {
  const searching: Block = { type: "other", style: "messages", data: { type: "server_tool_use" } };

  test("beside text", () => {
    expect(written([said("assistant", searching, text("found"))])).toMatchObject({
      messages: [{ role: "assistant", content: "found" }],
      lost: ["messages.server_tool_use"],
    });
  });

  test("alone, with the whole message", () => {
    expect(written([said("user", text("q")), said("assistant", searching)]).messages).toEqual([
      { role: "user", content: "q" },
    ]);
  });

  test("in a tool's result", () => {
    const data = { type: "search_result" };
    expect(
      written([
        said("assistant", call("a")),
        said("user", result("a", text("1"), { type: "other", style: "messages", data })),
      ]),
    ).toMatchObject({
      messages: [{}, { role: "tool", content: "1" }],
      lost: ["messages.search_result"],
    });
  });
});

describe("options for the user and the conversation are adapted", () => {
  test("the newer role name for the system is written as the common one", () => {
    expect(written([said("developer", text("d"))]).messages).toEqual([
      { role: "system", content: "d" },
    ]);
  });

  test("JSON mode is only sent with an instruction that mentions JSON", () => {
    const format = { type: "json" } as const;

    expect(written([said("user", text("list"))], { format }).messages).toEqual([
      { role: "system", content: "Answer in JSON." },
      { role: "user", content: "list" },
    ]);
    expect(written([said("user", text("list as json"))], { format }).messages).toHaveLength(1);
  });

  test("a user name that is too long, and metadata that is not stored", () => {
    const { body, lost } = written([], { user: "u".repeat(65), metadata: { a: "b" } });

    expect([body["user"], body["metadata"], lost]).toEqual([
      undefined,
      undefined,
      ["metadata", "user"],
    ]);
    expect(written([], { user: "u".repeat(64) }).body["user"]).toHaveLength(64);
  });

  test("an image is not requested from a model without image output", () => {
    const build = (output: readonly ("text" | "image")[]): JsonObject =>
      buildRequest(
        { model: "m", messages: [], stream: false, sampling: {}, modalities: ["text", "image"] },
        { report: new LossReport(), model: { output } },
      );

    expect(build(["text", "image"])["modalities"]).toEqual(["text", "image"]);
    expect(() => build(["text"])).toThrow("'modalities' cannot be carried");
  });

  test("top_k is sent to upstreams that support it", () => {
    expect(written([], { sampling: { topK: 5 } }, { topK: true }).body["top_k"]).toBe(5);
  });
});

describe("tools", () => {
  const words = fc.oneof(
    fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }),
    fc.stringMatching(/^[a-z_.:x0-9]{1,20}$/),
    fc.constantFrom("_xtext_", "a_x2e_b", "a.b_xtext_", "_x_x5f_", "mcp.server:tool", "x2e_"),
  );

  test(`any name is restored (seed ${SEED})`, () => {
    fc.assert(
      fc.property(words, (name) => {
        for (const fit of [fitName(name), standInName(name)]) {
          expect(fit).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        }
        // What was shortened is given back by who knows the question.
        const named = originalNames({ tools: [{ kind: "function", name }], messages: [] });
        const back = (fit: string) =>
          named({
            type: "open",
            choice: 0,
            block: { type: "tool_call", id: "", ...readName(fit) },
          });
        expect(back(fitName(name))).toMatchObject({ block: { name, kind: "function" } });
        expect(back(standInName(name))).toMatchObject({ block: { name, kind: "custom" } });
        expect(back(ownName(name))).toMatchObject({ block: { name, kind: "function" } });
      }),
      { seed: SEED, numRuns: times(2_000, 50_000) },
    );
  });

  test("a name that every server accepts is unchanged", () => {
    for (const name of ["get_weather", "mcp__server__tool-1", "get_xfade"]) {
      expect(ownName(name)).toBe(name);
    }
    expect(fitName("get_weather")).toBe("get_weather");
  });

  const patch = {
    kind: "custom",
    name: "apply.patch",
    description: "d",
    format: { type: "grammar" },
  } as const;
  const history = [
    said("assistant", {
      type: "tool_call",
      id: "a",
      name: "apply.patch",
      arguments: "*** Begin",
      kind: "custom",
    }),
    said("tool", result("a", text("ok"))),
  ];

  test("a free-text tool is replaced by a function, in all places", () => {
    const { body, messages, lost } = written(history, {
      tools: [patch],
      toolChoice: { mode: "named", name: "apply.patch", kind: "custom" },
    });
    const name = "apply_x2e_patch_xtext_";

    expect(body["tools"]).toMatchObject([
      { type: "function", function: { name, parameters: { required: ["input"] } } },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name } });
    expect(messages[0]).toMatchObject({
      tool_calls: [{ type: "function", function: { name, arguments: '{"input":"*** Begin"}' } }],
    });
    expect(lost).toEqual(["tools.format"]);
  });

  test("its arguments become free text again", () => {
    const message = (args: string): JsonObject => ({
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            tool_calls: [wireCall("a", "apply_x2e_patch_xtext_", args)],
          },
        },
      ],
    });

    expect(parseResponse(message('{"input":"*** Begin"}')).slice(1, 4)).toEqual([
      {
        type: "open",
        choice: 0,
        block: { type: "tool_call", id: "a", name: "apply.patch", kind: "custom" },
      },
      { type: "delta", choice: 0, text: "*** Begin" },
      { type: "close", choice: 0 },
    ]);
    expect(parseResponse(message("no JSON"))[2]).toMatchObject({ text: "no JSON" });
  });

  test("upstreams with free-text tools get it unchanged", () => {
    const { body, messages, lost } = written(history, { tools: [patch] }, { customTools: true });

    expect(body["tools"]).toMatchObject([
      { type: "custom", custom: { format: { type: "grammar" } } },
    ]);
    expect(messages[0]).toMatchObject({
      tool_calls: [{ type: "custom", custom: { input: "*** Begin" } }],
    });
    expect(lost).toEqual([]);
  });

  test("a choice among some tools is sent to upstreams that support it, and applied for the others", () => {
    const request: Partial<ChatRequest> = {
      tools: [
        { kind: "function", name: "f" },
        { kind: "function", name: "g" },
      ],
      toolChoice: { mode: "allowed", required: true, tools: [{ kind: "function", name: "f" }] },
    };

    expect(written([], request).body).toMatchObject({
      tools: [{ function: { name: "f" } }],
      tool_choice: "required",
    });
    expect(written([], request).body["tools"]).toHaveLength(1);
    expect(written([], request, { customTools: true }).body).toMatchObject({
      tools: [{ function: { name: "f" } }, { function: { name: "g" } }],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
      },
    });
  });

  test("a choice of another style's tool is reported beside others, and refused if it is the only one", () => {
    const choice = (...tools: AllowedTool[]): Partial<ChatRequest> => ({
      tools: [{ kind: "function", name: "f" }],
      toolChoice: {
        mode: "allowed",
        required: true,
        tools,
        extra: { responses: { allowed_tools: [{ type: "web_search" }] } },
      },
    });
    const beside = written([], choice({ kind: "function", name: "f" }), { customTools: true });

    expect(beside.body["tool_choice"]).toMatchObject({
      allowed_tools: { tools: [{ type: "function", function: { name: "f" } }] },
    });
    expect(beside.lost).toEqual(["tool_choice.allowed_tools"]);
    expect(() => written([], choice(), { customTools: true })).toThrow(GatewayError);
    expect(written([], choice())).toEqual({
      body: { model: "m", messages: [] },
      messages: [],
      lost: ["tool_choice.allowed_tools"],
    });
  });
});
