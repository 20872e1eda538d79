import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ZodType } from "zod";
import { SHARED, withShared } from "../../test/shared.ts";
import { jsonText, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { openapiSchemas } from "./testing/openapi-schemas.ts";
import { WEATHER_TOOL, eventsOf, get, prompt, respond } from "./testing/responses.ts";

const format = {
  type: "json_schema",
  name: "form",
  schema: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
};
const sealed = { include: ["reasoning.encrypted_content"] };

const strict = {
  ...WEATHER_TOOL,
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

/** One request for each kind of answer. */
const REQUESTS: readonly (readonly [string, JsonObject])[] = [
  ["a text", prompt("Say hi", { instructions: "Be brief.", metadata: { a: "b" } })],
  ["parallel calls", prompt("Weather in Paris and Rome", { tools: [strict] })],
  ["a form", prompt("Fill in", { text: { format } })],
  [
    "log probabilities",
    prompt("Say hi there", { include: ["message.output_text.logprobs"], top_logprobs: 2 }),
  ],
  ["a refusal", prompt("please refuse")],
  ["hidden thoughts", prompt("Say hi", { model: "o4-mini", ...sealed })],
  ["a reasoning summary", prompt("Say hi", { model: "gpt-5", reasoning: { summary: "auto" } })],
  ["visible thoughts", prompt("Say hi", { model: "sim-reasoner" })],
  ["a phase", prompt("Say hi", { model: "gpt-5.4" })],
  ["a cut answer", prompt("Count to 50", { max_output_tokens: 16 })],
  [
    "a search",
    prompt("Look up the latest news", {
      tools: [{ type: "web_search" }],
      include: ["web_search_call.action.sources"],
    }),
  ],
  [
    "a custom tool",
    prompt("Use the scratchpad for 'abc'", { tools: [{ type: "custom", name: "scratchpad" }] }),
  ],
  ["another tier", prompt("Say hi", { service_tier: "flex" })],
];

withShared("schemas", () => {
  const schema = openapiSchemas(`${SHARED}/schemas/openai.openapi.yaml`);
  describe("responses conform to the vendor's own description", () => conformance(schema));
});

function conformance(schemaOf: (name: string) => ZodType): void {
  const known = new Map<string, ZodType>();
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  /** What is wrong with a value. The vendor's nulls for no user and no usage yet are recorded, and missing in its document. */
  function issues(name: string, value: unknown): readonly unknown[] {
    const schema = known.get(name) ?? schemaOf(name);
    known.set(name, schema);
    const told: unknown = JSON.parse(
      JSON.stringify(value).replaceAll(/"(?:user|usage)":null,/g, ""),
    );
    return schema.safeParse(told).error?.issues ?? [];
  }

  test.each(REQUESTS)("%s as a complete response", async (_, body) => {
    expect(issues("CreateResponse", body)).toEqual([]);
    expect(issues("Response", await respond(sandbox, body))).toEqual([]);
  });

  test.each(REQUESTS)("%s as a stream", async (_, body) => {
    const events = await eventsOf(sandbox, body);

    expect(events.length).toBeGreaterThan(6);
    expect(events.flatMap((event) => issues(schemaNameOf(event), event))).toEqual([]);
  });

  test("a failure within a stream", async () => {
    const events = await eventsOf(sandbox, prompt("[[fault:streamerror after=4]] Count to 20"));

    expect(events.at(-1)?.["type"]).toBe("response.failed");
    expect(events.flatMap((event) => issues(schemaNameOf(event), event))).toEqual([]);
  });

  test("lists of items, counts, and compacted conversations", async () => {
    const body = prompt([
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "x" },
    ]);
    const { id } = await respond(sandbox, body);
    const list = await get(sandbox, `/${jsonText(id)}/input_items`);
    const count = await get(sandbox, "/input_tokens", { method: "POST", body });
    const compact = await get(sandbox, "/compact", { method: "POST", body });

    expect(issues("ResponseItemList", list)).toEqual([]);
    expect(issues("TokenCountsResource", count)).toEqual([]);
    expect(issues("CompactResource", compact)).toEqual([]);
  });

  test("a response with a wrong field would be detected", async () => {
    const answer = await respond(sandbox, prompt("Say hi"));
    const item = asObject(at(answer, "output", 0));

    expect(issues("Response", { ...answer, status: "done" })).not.toEqual([]);
    expect(issues("Response", { ...answer, output: [{ ...item, role: "user" }] })).not.toEqual([]);
  });
}

/** "response.output_text.delta" is described as ResponseTextDeltaEvent. */
function schemaNameOf(event: JsonObject): string {
  const type = textAt(event, "type");
  const words = type.replace(/^response\./, "").split(/[._]/);
  const name = words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join("");
  return `Response${name.replace(/^OutputText(?=Delta|Done)/, "Text")}Event`;
}
