import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

const WEATHER = {
  type: "function",
  name: "get_weather",
  description: "Current weather of a city",
  strict: false,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const ADDED = {
  type: "additional_tools",
  role: "developer",
  tools: [{ type: "namespace", name: "mcp__weather", description: "Weather.", tools: [WEATHER] }],
};
const QUESTION = { role: "user", content: "Weather in Oslo" };

/** Newer agents declare all their tools in an item of the input, in namespaces. */
describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "an agent that adds its tools in the input, on an upstream of the style %s",
  (_, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    async function ask(input: readonly Json[]) {
      const body = { model: upstream.model, input, store: false };
      const answer = await gateway.post("/v1/responses", body, { "sluice-strict": "true" });
      const json = parseJson(await answer.text()) ?? null;
      return { status: answer.status, output: isObject(json) ? json["output"] : json };
    }

    test("has its tools called by namespace and name, and can continue, without a loss", async () => {
      const first = await ask([ADDED, QUESTION]);
      const call = callIn(first.output ?? null);
      const result = { type: "function_call_output", call_id: call["call_id"] ?? "", output: "9°" };
      const second = await ask([ADDED, QUESTION, call, result]);

      expect(first.status).toBe(200);
      expect(call).toMatchObject({ namespace: "mcp__weather", name: "get_weather" });
      expect(second.status).toBe(200);
      expect(JSON.stringify(second.output)).toContain("9°");
    });
  },
);

function callIn(output: Json): JsonObject {
  const items = isArray(output) ? output.filter(isObject) : [];
  const call = items.find(({ type }) => type === "function_call");
  if (call === undefined) throw new Error(`no call in ${JSON.stringify(output)}`);
  return call;
}
