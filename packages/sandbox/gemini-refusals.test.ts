import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { at } from "./testing/chat.ts";
import { WEATHER, ask, post, refusalOf, user } from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

async function refusal(model: string, body: JsonObject): Promise<string> {
  const response = await post(sandbox, `models/${model}:generateContent`, body);
  return response.status === 200 ? "accepted" : refusalOf(response);
}

function configured(generationConfig: JsonObject): JsonObject {
  return ask("hi", { generationConfig });
}

function talk(...contents: JsonObject[]): JsonObject {
  return { contents, tools: [WEATHER] };
}

const calling: JsonObject = {
  functionCall: { name: "get_weather", args: { city: "Paris" } },
  thoughtSignature: "skip_thought_signature_validator",
};
const call: JsonObject = { role: "model", parts: [calling] };
const twoCalls: JsonObject = {
  role: "model",
  parts: [calling, { functionCall: { name: "get_time", args: {} } }],
};
function result(...names: string[]): JsonObject {
  const parts = names.map((name) => ({ functionResponse: { name, response: { output: "x" } } }));
  return { role: "user", parts };
}

const UNKNOWN = "400 INVALID_ARGUMENT Invalid JSON payload received. Unknown name";
const VALUE = "400 INVALID_ARGUMENT Invalid value at";
const RULE = "400 INVALID_ARGUMENT * GenerateContentRequest";
const NO_TURN = "400 INVALID_ARGUMENT Please ensure that";

describe("the structure of a request", () => {
  test.each<[string, JsonObject, string]>([
    ["no contents", {}, `${RULE}.contents: contents is not specified`],
    ["no contents at all", { contents: [] }, `${RULE}.contents: contents is not specified`],
    ["contents that are a text", { contents: "hi" }, `${VALUE} 'contents[0]'`],
    ["an unknown field", ask("hi", { foo: 1 }), `${UNKNOWN} "foo": Cannot find field.`],
    [
      "a field of another vendor in a part",
      { contents: [{ role: "user", parts: [{ type: "text", text: "hi" }] }] },
      `${UNKNOWN} "type" at 'contents[0].parts[0]': Cannot find field.`,
    ],
    [
      "fields of the cloud edition only",
      ask("hi", { labels: { team: "a" } }),
      `${UNKNOWN} "labels": Cannot find field.`,
    ],
    [
      "a keyword that schemas here lack",
      configured({ responseSchema: { type: "OBJECT", additionalProperties: false } }),
      `${UNKNOWN} "additionalProperties" at 'generation_config.response_schema': Cannot find field.`,
    ],
    [
      "a reference inside a schema",
      configured({ responseSchema: { properties: { a: { $ref: "#/$defs/a" } } } }),
      `${UNKNOWN} "$ref" at 'generation_config.response_schema.properties[0].value': Cannot find field.`,
    ],
    [
      "two types at once",
      configured({ responseSchema: { type: ["string", "null"] } }),
      `${UNKNOWN} "type" at 'generation_config.response_schema': Proto field is not repeating, cannot start list.`,
    ],
    [
      "an unknown category",
      ask("hi", { safetySettings: [{ category: "X", threshold: "OFF" }] }),
      `${VALUE} 'safety_settings[0].category' (type.googleapis.com/google.ai.generativelanguage.v1beta.HarmCategory), "X"`,
    ],
    [
      "a limit in letters",
      configured({ maxOutputTokens: "many" }),
      `${VALUE} 'generation_config.max_output_tokens' (TYPE_INT32), "many"`,
    ],
    [
      "a result that is no object",
      talk(user("hi"), call, {
        role: "user",
        parts: [{ functionResponse: { name: "get_weather", response: "sunny" } }],
      }),
      `${VALUE} 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "sunny"`,
    ],
    [
      "an image that is no base64",
      { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "@@" } }] }] },
      `${VALUE} 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), "Base64 decoding failed for \\"@@\\""`,
    ],
    [
      "a part of two kinds",
      {
        contents: [{ parts: [{ text: "hi", functionCall: { name: "get_weather", args: {} } }] }],
      },
      `${VALUE} 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'functionCall'`,
    ],
  ])("%s", async (_, body, expected) => {
    expect(await refusal("gemini-2.5-flash", body)).toStartWith(expected);
  });

  test("all violations are reported together, each with its path", async () => {
    const body = ask("hi", { foo: 1, generationConfig: { topP: "x", bar: 2 } });
    const response = await post(sandbox, "models/gemini-2.5-flash:generateContent", body);
    const details = at(parseJson(await response.text()), "error", "details", 0);

    expect(at(details, "@type")).toBe("type.googleapis.com/google.rpc.BadRequest");
    const violations = JSON.parse(JSON.stringify(at(details, "fieldViolations")));
    expect(violations.map((each: { field?: string }) => each.field ?? null)).toEqual([
      null,
      "generation_config.top_p",
      "generation_config",
    ]);
  });

  test("excessive nesting is refused, and not followed", async () => {
    let schema: Json = { type: "STRING" };
    let args: Json = {};
    for (let depth = 0; depth < 3_000; depth++) {
      schema = { type: "ARRAY", items: schema };
      args = { a: args };
    }
    const deepCall = { role: "model", parts: [{ functionCall: { name: "get_weather", args } }] };
    const bodies = [
      configured({ responseMimeType: "application/json", responseSchema: schema }),
      configured({ responseMimeType: "application/json", responseJsonSchema: schema }),
      talk(user("hi"), deepCall, result("get_weather")),
    ];

    for (const body of bodies)
      expect(await refusal("gemini-2.5-flash", body)).toContain("Message too deep");
  });

  test("a body that is not JSON is refused", async () => {
    const url = `${sandbox.url}/gemini/v1beta/models/gemini-2.5-flash:generateContent`;
    const headers = { "x-goog-api-key": "k" };
    const response = await fetch(url, { method: "POST", headers, body: '{"contents":' });

    expect(await refusalOf(response)).toStartWith(
      "400 INVALID_ARGUMENT Invalid JSON payload received.",
    );
  });
});

describe("turns", () => {
  test.each<[string, JsonObject, string]>([
    ["a turn without parts", talk({ role: "user" }), `${RULE}.contents[0].parts: contents.parts`],
    [
      "an empty part",
      talk({ role: "user", parts: [{}] }),
      `${RULE}.contents[0].parts[0].data: required oneof field 'data'`,
    ],
    [
      "the role of another vendor",
      talk({ role: "assistant", parts: [{ text: "hi" }] }),
      "400 INVALID_ARGUMENT Please use a valid role: user, model.",
    ],
    [
      "an instruction among the turns",
      talk({ role: "system", parts: [{ text: "Be brief." }] }, user("hi")),
      "400 INVALID_ARGUMENT Please use a valid role: user, model.",
    ],
    [
      "a result without a name",
      talk(user("hi"), call, { role: "user", parts: [{ functionResponse: { response: {} } }] }),
      `${RULE}.contents[2].parts[0].function_response.name: Name cannot be empty.`,
    ],
    ["a call at the beginning", talk(call, result("get_weather")), `${NO_TURN} function call turn`],
    [
      "a call directly after the model's text",
      talk(user("hi"), { role: "model", parts: [{ text: "Well." }] }, call, result("get_weather")),
      `${NO_TURN} function call turn`,
    ],
    [
      "calls that were made at once, in turns of their own",
      talk(user("hi"), call, call, result("get_weather", "get_weather")),
      NO_TURN,
    ],
    [
      "a result without a call",
      talk(user("hi"), result("get_weather")),
      `${NO_TURN} function response turn`,
    ],
    ["a call that is not answered", talk(user("hi"), call, user("Well?")), `${NO_TURN} the number`],
    ["a call at the end", talk(user("hi"), call), `${NO_TURN} the number`],
    [
      "one answer for two calls",
      talk(user("hi"), twoCalls, result("get_weather")),
      `${NO_TURN} the number`,
    ],
    [
      "two answers in turns of their own",
      talk(user("hi"), twoCalls, result("get_weather"), result("get_time")),
      `${NO_TURN} the number`,
    ],
    [
      "an answer to another function",
      talk(user("hi"), call, result("get_time")),
      "400 INVALID_ARGUMENT The function response 'get_time' does not answer any function call.",
    ],
    [
      "an image that is no image",
      {
        contents: [
          {
            parts: [
              { inlineData: { mimeType: "image/png", data: Buffer.from("x").toString("base64") } },
            ],
          },
        ],
      },
      "400 INVALID_ARGUMENT Unable to process input image.",
    ],
    [
      "a file that the vendor cannot read",
      { contents: [{ parts: [{ inlineData: { mimeType: "application/zip", data: "UEsD" } }] }] },
      "400 INVALID_ARGUMENT Unsupported MIME type: application/zip",
    ],
    [
      "a file in a bucket",
      { contents: [{ parts: [{ fileData: { fileUri: "gs://bucket/file.pdf" } }] }] },
      "400 INVALID_ARGUMENT Invalid or unsupported file uri: gs://bucket/file.pdf",
    ],
  ])("%s", async (_, body, expected) => {
    expect(await refusal("gemini-2.5-flash", body)).toStartWith(expected);
  });

  test("the oldest models accept a tool call without a result", async () => {
    expect(await refusal("gemini-2.0-flash", talk(user("hi"), call, user("Well?")))).toBe(
      "accepted",
    );
  });
});
