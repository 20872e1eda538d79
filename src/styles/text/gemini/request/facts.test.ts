import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { disagreement } from "#test/json-schema.ts";
import { readRequest } from "./facts.ts";
import { REQUEST } from "./fields.ts";

const CONTENTS = [{ role: "user", parts: [{ text: "hi" }] }];
const ADDRESS = { model: "m", stream: false };

/** The field that a request is refused for. */
function refused(fields: JsonObject): string | undefined {
  try {
    readRequest({ contents: CONTENTS, ...fields }, ADDRESS);
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.param}` : String(error);
  }
}

/** What a request is refused with if it has to be translated. */
function unknownIn(fields: JsonObject): string | undefined {
  const { unknownValue } = readRequest({ contents: CONTENTS, ...fields }, ADDRESS);
  return unknownValue && `${unknownValue.code} ${unknownValue.param}`;
}

describe("[A4.7-a] every documented field is accepted", () => {
  test.each<[string, JsonObject]>([
    ["sampling", { generationConfig: { temperature: 2, topP: 1, topK: 40, seed: 7 } }],
    ["limits", { generationConfig: { maxOutputTokens: 1, stopSequences: ["a"] } }],
    ["a format", { generationConfig: { responseMimeType: "text/plain" } }],
    ["modalities", { generationConfig: { responseModalities: ["TEXT", "Image"] } }],
    [
      "pictures",
      {
        generationConfig: {
          imageConfig: {
            aspectRatio: "1:1",
            imageSize: "2K",
            imageOutputOptions: { mimeType: "image/png" },
          },
        },
      },
    ],
    [
      "thinking",
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } } },
    ],
    [
      "a level in small letters",
      { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    ],
    ["instructions", { systemInstruction: { parts: [{ text: "be brief" }] } }],
    [
      "safety settings",
      { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }] },
    ],
    [
      "tools",
      {
        tools: [
          { functionDeclarations: [{ name: "f", description: "d", parameters: {} }] },
          { vendorSearch: {} },
        ],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
      },
    ],
    ["a single tool without its list", { tools: { googleSearch: {} } }],
    ["a cached context", { cachedContent: "cachedContents/a" }],
    [
      "every kind of part",
      {
        contents: [
          {
            parts: [
              { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
              { fileData: { mimeType: "image/png", fileUri: "https://example.com/a.png" } },
              { functionCall: { name: "f", args: {} } },
              { functionResponse: { name: "f", response: { output: 1 } } },
              { brandNew: 1 },
            ],
          },
        ],
      },
    ],
    ["unknown fields", { brandNew: { a: 1 }, generationConfig: { brandNew: [] } }],
    ["null for an omitted field", { tools: null, generationConfig: { temperature: null } }],
  ])("%s", (_what, fields) => {
    expect(refused(fields)).toBeUndefined();
  });
});

describe("[A7] an invalid value is refused by its field name, in the client's spelling", () => {
  test.each<[string, JsonObject]>([
    ["contents", { contents: [] }],
    ["contents", { contents: "hi" }],
    ["contents", { contents: null }],
    ["contents[0].parts", { contents: [{ role: "user" }] }],
    ["contents[1].parts", { contents: [...CONTENTS, { parts: null }] }],
    ["contents[0].parts", { contents: [{ role: "user", parts: [] }] }],
    ["contents[0].parts[0].text", { contents: [{ parts: [{ text: 1 }] }] }],
    ["contents[0].parts[0].inlineData.data", { contents: [{ parts: [{ inlineData: {} }] }] }],
    ["contents[0].parts[0].inline_data.data", { contents: [{ parts: [{ inline_data: {} }] }] }],
    [
      "contents[0].parts[0].functionResponse.response",
      { contents: [{ parts: [{ functionResponse: { name: "f", response: "text" } }] }] },
    ],
    ["generationConfig.temperature", { generationConfig: { temperature: 2.1 } }],
    ["generation_config.top_p", { generation_config: { top_p: 1.1 } }],
    ["generationConfig.maxOutputTokens", { generationConfig: { maxOutputTokens: 0 } }],
    ["generationConfig.max_output_tokens", { generationConfig: { max_output_tokens: "9" } }],
    ["generationConfig.candidateCount", { generationConfig: { candidateCount: 9 } }],
    [
      "generationConfig.thinkingConfig.thinkingBudget",
      { generationConfig: { thinkingConfig: { thinkingBudget: 0.5 } } },
    ],
    ["systemInstruction", { systemInstruction: "be brief" }],
    ["tools[0].functionDeclarations[0].name", { tools: [{ functionDeclarations: [{}] }] }],
    ["safetySettings", { safetySettings: {} }],
  ])("%s", (param, fields) => {
    expect(refused(fields)).toBe(`invalid_request ${param}`);
  });
});

describe("the facts of a request for the relay", () => {
  test("[A4.7-a] have model and stream from the path, the rest from the body", () => {
    const facts = readRequest(
      { contents: CONTENTS, generationConfig: { maxOutputTokens: 9, candidateCount: 2 } },
      { model: "m", stream: true },
    );

    expect(facts).toEqual({
      model: "m",
      stream: true,
      maxOutputTokens: 9,
      choices: 2,
      messages: 1,
      wantsUsage: true,
    });
  });

  test("are equal in either spelling", () => {
    const facts = readRequest(
      { contents: CONTENTS, generation_config: { max_output_tokens: 9, candidate_count: 2 } },
      ADDRESS,
    );

    expect([facts.maxOutputTokens, facts.choices]).toEqual([9, 2]);
  });

  test("have the model of the body without a path", () => {
    expect(readRequest({ contents: CONTENTS, model: "models/m" }, {}).model).toBe("m");
    expect(readRequest({ contents: CONTENTS }, {}).model).toBe("");
  });
});

test("[A4.7-a] the public document accepts the same requests as the gateway", () => {
  const schema = schemaOf(REQUEST);
  const taken = { contents: CONTENTS, generationConfig: { temperature: 1 }, brandNew: 1 };

  expect(disagreement(taken, schema, () => ({}))).toBeUndefined();
  expect(disagreement({}, schema, () => ({}))).toContain("contents is missing");
  expect(JSON.stringify(schema)).not.toContain("max_output_tokens");
});

describe("values that may be newer than the gateway pass to vendors of the style, and are refused in a translation", () => {
  test.each<[string, JsonObject]>([
    ["contents[0].role", { contents: [{ role: "assistant", parts: [{ text: "a" }] }] }],
    ["generationConfig.responseModalities[0]", { generationConfig: { responseModalities: ["X"] } }],
    [
      "generationConfig.thinkingConfig.thinkingLevel",
      { generationConfig: { thinkingConfig: { thinkingLevel: "HUGE" } } },
    ],
    [
      "toolConfig.functionCallingConfig.mode",
      { toolConfig: { functionCallingConfig: { mode: "SOMETIMES" } } },
    ],
  ])("%s", (param, body) => {
    expect(refused(body)).toBeUndefined();
    expect(unknownIn(body)).toBe(`invalid_request ${param}`);
  });
});
