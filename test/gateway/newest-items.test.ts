import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (provider: string, path: string, models: string): string =>
    `  - { name: ${provider}, provider: ${provider}, base_url: "${sandbox.url}${path}", api_key: upstream-secret-of-the-operator, models: [${models}] }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("openai", "/openai/v1", "gpt-6-sol, gpt-5"),
      channel("anthropic", "/anthropic/v1", "claude-opus-5"),
      channel("gemini", "/gemini/v1beta", "gemini-2.5-flash"),
      channel("deepseek", "/openai/v1", "deepseek-chat"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

function sent(): JsonObject {
  const { body } = sandbox.requests.at(-1) ?? {};
  return isObject(body as never) ? (body as JsonObject) : {};
}

const USER = { role: "user", content: "Reply with exactly: pong" };
const FIRST = { role: "user", content: "hi" };
const FUNCTION = {
  type: "function",
  name: "f",
  parameters: { type: "object", properties: {} },
  strict: false,
};
const SAID = {
  type: "message",
  role: "assistant",
  phase: "final_answer",
  content: [{ type: "output_text", text: "hi", annotations: [] }],
};
/** Items between what a user said first and last, the tools they need, and what another style loses, by name or place. */
const ITEMS: readonly (readonly [string, readonly JsonObject[], readonly JsonObject[], string])[] =
  [
    [
      "configuration_update",
      [SAID, { type: "configuration_update", reasoning: { effort: "low" } }],
      [],
      "input[2]",
    ],
    [
      "program",
      [
        { type: "program", id: "prog_1", code: "f()" },
        { type: "program_output", id: "po_1", output: "1" },
      ],
      [{ type: "programmatic_tool_calling" }],
      "tools.programmatic_tool_calling, input[1], input[2]",
    ],
    [
      "tool_search",
      [
        {
          type: "tool_search_call",
          call_id: null,
          execution: "server",
          status: "completed",
          arguments: {},
        },
        {
          type: "tool_search_output",
          call_id: null,
          execution: "server",
          status: "completed",
          tools: [],
        },
      ],
      [{ type: "tool_search" }],
      "tools.tool_search, input[1], input[2]",
    ],
  ];

/** What has a meaning in every style: it is said there in that style's words. */
const CARRIED: readonly (readonly [string, readonly JsonObject[], readonly JsonObject[]])[] = [
  ["a phase", [SAID], []],
  [
    "a shell call",
    [
      {
        type: "shell_call",
        call_id: "call_1",
        action: { commands: ["ls"], max_output_length: null, timeout_ms: null },
        environment: { type: "local" },
        status: "completed",
      },
      {
        type: "shell_call_output",
        call_id: "call_1",
        output: [{ stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
    ],
    [{ type: "shell", environment: { type: "local" } }],
  ],
  [
    "a patch",
    [
      {
        type: "apply_patch_call",
        call_id: "call_1",
        operation: { type: "delete_file", path: "a.txt" },
        status: "completed",
      },
      { type: "apply_patch_call_output", call_id: "call_1", status: "completed", output: "done" },
    ],
    [{ type: "apply_patch" }],
  ],
  [
    "tools that an item adds, in a namespace",
    [
      {
        type: "additional_tools",
        role: "developer",
        tools: [{ type: "namespace", name: "files", description: "Files.", tools: [FUNCTION] }],
      },
    ],
    [],
  ],
  [
    "a call of a namespace",
    [
      { type: "function_call", call_id: "call_1", namespace: "files", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "1" },
    ],
    [{ type: "namespace", name: "files", description: "Files.", tools: [FUNCTION] }],
  ],
];

const OTHERS = ["claude-opus-5", "gemini-2.5-flash", "deepseek-chat"];

async function ask(model: string, items: readonly JsonObject[], tools: readonly JsonObject[]) {
  const input = [FIRST, ...items, USER];
  const answer = await gateway.post("/v1/responses", {
    model,
    input,
    ...(tools.length === 0 ? {} : { tools }),
  });
  return {
    status: answer.status,
    lost: answer.headers.get("sluice-lossy"),
    text: await answer.text(),
    input,
  };
}

describe.each(ITEMS)("%s", (_name, items, tools, lost) => {
  test("passes between a client and an upstream of the style unchanged", async () => {
    const { status, input } = await ask("gpt-6-sol", items, tools);

    expect([status, sent()["input"]]).toEqual([200, input]);
    if (tools.length > 0) expect(sent()["tools"]).toEqual(tools);
  });

  test.each(OTHERS)("on %s: the loss is reported by name", async (model) => {
    const answer = await ask(model, items, tools);

    expect([answer.status, answer.lost]).toEqual([200, lost]);
  });
});

describe.each(CARRIED)("%s", (_name, items, tools) => {
  test("passes between a client and an upstream of the style unchanged", async () => {
    const { status, input, text } = await ask("gpt-6-sol", items, tools);

    expect([status, status === 200 ? "" : text, sent()["input"]]).toEqual([200, "", input]);
    if (tools.length > 0) expect(sent()["tools"]).toEqual(tools);
  });

  test.each(OTHERS)("on %s: nothing is lost", async (model) => {
    const answer = await ask(model, items, tools);

    expect([answer.status, answer.lost]).toEqual([200, null]);
  });
});

describe("members of tools that only the style has", () => {
  const tool = { ...FUNCTION, async: true, defer_loading: true, allowed_callers: ["programmatic"] };

  test("pass unchanged", async () => {
    await ask("gpt-6-sol", [], [tool]);

    expect(sent()["tools"]).toEqual([tool]);
  });

  test.each(OTHERS)("on %s: the loss is reported by name", async (model) => {
    const { status, lost } = await ask(model, [], [tool]);

    expect([status, lost]).toEqual([
      200,
      "tools.async, tools.defer_loading, tools.allowed_callers",
    ]);
  });
});
