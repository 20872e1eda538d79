import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-2"];

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: `channels:
  - name: claude
    provider: anthropic
    base_url: "${sandbox.url}/anthropic/v1"
    api_key: upstream-key
    models: [${[...MODELS, "claude-haiku-5-5"].join(", ")}]
`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const TOOL = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

async function ask(body: JsonObject, path = "/v1/chat/completions") {
  const messages = [{ role: "user", content: "What is the weather in Paris?" }];
  const answer = await gateway.post(path, { messages, ...body });
  const json = parseJson(await answer.text());
  const record = sandbox.requests.at(-1)?.body;
  return {
    status: answer.status,
    json: isObject(json) ? json : {},
    lost: (answer.headers.get("sluice-lossy") ?? "").split(", ").toSorted(),
    sent: isObject(record as Json) ? (record as JsonObject) : {},
  };
}

describe.each(MODELS)("%s", (model) => {
  test("thinks as little as possible if the client turns thinking off", async () => {
    const { status, sent } = await ask({ model, reasoning_effort: "none", temperature: 0.3 });

    expect(status).toBe(200);
    expect(memberOf(sent["output_config"], "effort")).toBe("low");
    expect(sent["thinking"]).toEqual(
      model === "claude-sonnet-5-5" ? { type: "between_tools" } : undefined,
    );
    expect(sent).not.toHaveProperty("temperature");
  });

  test("uses the schema of a tool that it cannot be forced to call, and that is reported", async () => {
    const named = { type: "function", function: { name: "get_weather" } };
    const { status, sent, lost, json } = await ask({ model, tools: [TOOL], tool_choice: named });

    expect(status).toBe(200);
    expect(sent["tool_choice"]).toEqual({ type: "none" });
    expect(memberOf(memberOf(sent["output_config"], "format"), "type")).toBe("json_schema");
    expect(lost).toContain("tool_choice");
    const message = memberOf(listOf(json["choices"])[0], "message");
    expect(memberOf(memberOf(listOf(memberOf(message, "tool_calls"))[0], "function"), "name")).toBe(
      "get_weather",
    );
  });

  test("is instructed to call a tool whose schema cannot be enforced", async () => {
    const open = { name: "get_weather", parameters: { type: "object" } };
    const { status, sent, lost, json } = await ask({
      model,
      tools: [{ type: "function", function: open }],
      tool_choice: { type: "function", function: { name: "get_weather" } },
    });

    expect(status).toBe(200);
    expect(sent["tool_choice"]).toEqual({ type: "auto" });
    expect(JSON.stringify(listOf(sent["messages"]).at(-1))).toContain('\\"get_weather\\"');
    expect(lost).toContain("tool_choice");
    const message = memberOf(listOf(json["choices"])[0], "message");
    expect(listOf(memberOf(message, "tool_calls"))).toHaveLength(1);
  });

  test("shows its text between tool calls to clients of other styles", async () => {
    const { sent } = await ask({ model, tools: [TOOL] });

    expect(sent["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
  });

  test("accepts disabled thinking, a forced tool and sampling options from its own style", async () => {
    const tool = { name: "get_weather", input_schema: { type: "object" } };
    const { status, lost } = await ask(
      {
        model,
        max_tokens: 500,
        temperature: 0.3,
        thinking: { type: "disabled" },
        tools: [tool],
        tool_choice: { type: "any" },
      },
      "/v1/messages",
    );

    expect(status).toBe(200);
    expect(lost).toEqual(["reasoning", "temperature", "tool_choice"]);
  });
});

test("haiku 5.5 does not think if the client turns thinking off", async () => {
  const { status, sent } = await ask({ model: "claude-haiku-5-5", reasoning_effort: "none" });

  expect([status, sent["thinking"]]).toEqual([200, { type: "disabled" }]);
});

test("sonnet 5.5 thinks between tools with a supported effort", async () => {
  const body = {
    model: "claude-sonnet-5-5",
    max_tokens: 500,
    thinking: { type: "disabled" },
    output_config: { effort: "max" },
  };
  const { status, sent } = await ask(body, "/v1/messages");

  expect([status, sent["thinking"]]).toEqual([200, { type: "between_tools" }]);
});
