import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { WEATHER, ask, post, refusalOf } from "./testing/gemini.ts";

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

const VALUE = "400 INVALID_ARGUMENT Invalid value at";
const RULE = "400 INVALID_ARGUMENT * GenerateContentRequest";

describe("settings", () => {
  test.each<[string, string, JsonObject, string]>([
    [
      "a temperature above 2",
      "gemini-2.5-flash",
      { temperature: 2.1 },
      `${RULE}.generation_config.temperature`,
    ],
    [
      "a temperature of 2 for a painter",
      "gemini-2.5-flash-image",
      { temperature: 2 },
      `${RULE}.generation_config.temperature`,
    ],
    ["a topP above 1", "gemini-2.5-flash", { topP: 1.5 }, `${RULE}.generation_config.top_p`],
    ["a topK of nothing", "gemini-2.5-flash", { topK: 0 }, `${RULE}.generation_config.top_k`],
    [
      "nine candidates",
      "gemini-2.5-flash",
      { candidateCount: 9 },
      `${RULE}.generation_config.candidate_count`,
    ],
    [
      "no tokens",
      "gemini-2.5-flash",
      { maxOutputTokens: 0 },
      `${RULE}.generation_config.max_output_tokens`,
    ],
    [
      "six stop sequences",
      "gemini-2.5-flash",
      { stopSequences: ["a", "b", "c", "d", "e", "f"] },
      `${RULE}.generation_config.stop_sequences`,
    ],
    [
      "alternatives without probabilities",
      "gemini-2.0-flash",
      { logprobs: 2 },
      `${RULE}.generation_config.logprobs`,
    ],
    [
      "probabilities of a thinking model",
      "gemini-2.5-flash",
      { responseLogprobs: true },
      "400 INVALID_ARGUMENT Logprobs is not enabled for models/gemini-2.5-flash",
    ],
    [
      "a penalty of a thinking model",
      "gemini-3.5-flash",
      { frequencyPenalty: 0.5 },
      "400 INVALID_ARGUMENT Penalty is not enabled for models/gemini-3.5-flash",
    ],
    [
      "an unknown type of answer",
      "gemini-2.5-flash",
      { responseMimeType: "text/html" },
      `${RULE}.generation_config.response_mime_type: allowed mimetypes are`,
    ],
    [
      "a schema for plain text",
      "gemini-2.5-flash",
      { responseSchema: { type: "STRING" } },
      `${RULE}.generation_config.response_schema`,
    ],
    [
      "two schemas",
      "gemini-2.5-flash",
      {
        responseMimeType: "application/json",
        responseSchema: { type: "STRING" },
        responseJsonSchema: { type: "string" },
      },
      `${RULE}.generation_config.response_schema: only one`,
    ],
    [
      "a list of numbers to choose from",
      "gemini-2.5-flash",
      { responseMimeType: "application/json", responseSchema: { type: "INTEGER", enum: ["1"] } },
      `${RULE}.generation_config.response_schema.enum: only allowed for STRING type`,
    ],
    [
      "an unknown format",
      "gemini-2.5-flash",
      { responseMimeType: "application/json", responseSchema: { type: "STRING", format: "uri" } },
      `${RULE}.generation_config.response_schema.format: only 'enum' and 'date-time'`,
    ],
    [
      "a list of nothing in particular",
      "gemini-2.5-flash",
      { responseMimeType: "application/json", responseSchema: { type: "ARRAY" } },
      `${RULE}.generation_config.response_schema.items: missing field.`,
    ],
    [
      "a required property that is not there",
      "gemini-2.5-flash",
      {
        responseMimeType: "application/json",
        responseSchema: { type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["b"] },
      },
      `${RULE}.generation_config.response_schema.required[0]: property is not defined`,
    ],
    [
      "a response format for an image",
      "gemini-2.5-flash-image",
      { responseMimeType: "application/json" },
      "400 INVALID_ARGUMENT JSON mode is not enabled for models/gemini-2.5-flash-image",
    ],
    [
      "an image from a text model",
      "gemini-2.5-flash",
      { responseModalities: ["TEXT", "IMAGE"] },
      "400 INVALID_ARGUMENT The requested combination of response modalities (TEXT, IMAGE) is not supported by the model.",
    ],
    [
      "text from a speech model",
      "gemini-2.5-flash-preview-tts",
      {},
      "400 INVALID_ARGUMENT The requested combination of response modalities (TEXT) is not supported by the model. models/gemini-2.5-flash-preview-tts accepts the following combination of response modalities:\n* AUDIO",
    ],
    [
      "an unknown image shape",
      "gemini-2.5-flash-image",
      { imageConfig: { aspectRatio: "1:7" } },
      `${RULE}.generation_config.image_config.aspect_ratio`,
    ],
    [
      "reasoning of a model without it",
      "gemini-2.0-flash",
      { thinkingConfig: { includeThoughts: true } },
      "400 INVALID_ARGUMENT Thinking is not enabled for models/gemini-2.0-flash",
    ],
    [
      "a budget that is too small",
      "gemini-2.5-pro",
      { thinkingConfig: { thinkingBudget: 127 } },
      "400 INVALID_ARGUMENT The thinking budget (127) is invalid. Please choose a value between 128 and 32768.",
    ],
    [
      "a budget that is too big",
      "gemini-2.5-flash",
      { thinkingConfig: { thinkingBudget: 24_577 } },
      "400 INVALID_ARGUMENT The thinking budget (24577) is invalid. Please choose a value between 1 and 24576.",
    ],
    [
      "no reasoning of a model that always reasons",
      "gemini-2.5-pro",
      { thinkingConfig: { thinkingBudget: 0 } },
      "400 INVALID_ARGUMENT Budget 0 is invalid. This model only works in thinking mode.",
    ],
    [
      "a level of who knows budgets only",
      "gemini-2.5-flash",
      { thinkingConfig: { thinkingLevel: "LOW" } },
      "400 INVALID_ARGUMENT Thinking level is not supported for this model.",
    ],
    [
      "a level that the model lacks",
      "gemini-3-pro-preview",
      { thinkingConfig: { thinkingLevel: "MEDIUM" } },
      "400 INVALID_ARGUMENT Thinking level MEDIUM is not supported for this model.",
    ],
    [
      "a level and a budget",
      "gemini-3.5-flash",
      { thinkingConfig: { thinkingLevel: "LOW", thinkingBudget: 512 } },
      "400 INVALID_ARGUMENT You can only set only one of thinking budget and thinking level.",
    ],
    [
      "reasoning that is turned off and shown",
      "gemini-2.5-flash",
      { thinkingConfig: { thinkingBudget: 0, includeThoughts: true } },
      "400 INVALID_ARGUMENT Unable to submit request because Thinking_config.include_thoughts",
    ],
  ])("%s", async (_, model, config, expected) => {
    expect(await refusal(model, configured(config))).toStartWith(expected);
  });

  test.each<[string, string, JsonObject]>([
    [
      "the bounds themselves",
      "gemini-2.0-flash",
      { temperature: 2, topP: 0, candidateCount: 1, presencePenalty: -2 },
    ],
    ["more tokens than the model can write", "gemini-2.0-flash", { maxOutputTokens: 1_000_000 }],
    ["a dynamic budget", "gemini-2.5-pro", { thinkingConfig: { thinkingBudget: -1 } }],
    [
      "a budget for who knows levels",
      "gemini-3.5-flash",
      { thinkingConfig: { thinkingBudget: 512 } },
    ],
    [
      "null for an optional field",
      "gemini-2.0-flash",
      { temperature: null, thinkingConfig: null, stopSequences: null },
    ],
  ])("%s: accepted", async (_, model, config) => {
    expect(await refusal(model, configured(config))).toBe("accepted");
  });
});

describe("tools", () => {
  const declared = (extra: JsonObject) => ({ functionDeclarations: [{ name: "f", ...extra }] });
  test.each<[string, JsonObject, string]>([
    [
      "a name with a blank",
      { tools: [declared({ name: "get weather" })] },
      `${RULE}.tools[0].function_declarations[0].name: Invalid function name.`,
    ],
    [
      "a name that is too long",
      { tools: [declared({ name: "f".repeat(65) })] },
      `${RULE}.tools[0].function_declarations[0].name: Invalid function name.`,
    ],
    [
      "the same name twice",
      { tools: [WEATHER, WEATHER] },
      "400 INVALID_ARGUMENT Duplicate function declaration found: get_weather",
    ],
    [
      "parameters in two ways",
      {
        tools: [
          declared({ parameters: { type: "OBJECT" }, parametersJsonSchema: { type: "object" } }),
        ],
      },
      `${RULE}.tools[0].function_declarations[0].parameters: only one`,
    ],
    [
      "parameters that are a text",
      { tools: [declared({ parameters: { type: "STRING" } })] },
      `${RULE}.tools[0].function_declarations[0].parameters: schema type should be OBJECT`,
    ],
    [
      "a wrong format far inside",
      {
        tools: [
          declared({
            parameters: {
              type: "OBJECT",
              properties: { a: { type: "ARRAY", items: { type: "STRING", format: "email" } } },
            },
          }),
        ],
      },
      `${RULE}.tools[0].function_declarations[0].parameters.properties[a].items.format`,
    ],
    [
      "an unknown mode",
      { tools: [WEATHER], toolConfig: { functionCallingConfig: { mode: "MUST" } } },
      `${VALUE} 'tool_config.function_calling_config.mode'`,
    ],
    [
      "allowed names without a required call",
      {
        tools: [WEATHER],
        toolConfig: {
          functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["get_weather"] },
        },
      },
      "400 INVALID_ARGUMENT Allowed function names should be set only",
    ],
    [
      "a demand without functions",
      { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
      "400 INVALID_ARGUMENT Function calling config is set without function_declarations.",
    ],
    [
      "a search and functions",
      { tools: [{ googleSearch: {} }, WEATHER] },
      "400 INVALID_ARGUMENT Tool use with function calling is unsupported",
    ],
    [
      "functions and a form",
      { tools: [WEATHER], generationConfig: { responseMimeType: "application/json" } },
      "400 INVALID_ARGUMENT Function calling with a response mime type: 'application/json' is unsupported",
    ],
    [
      "a search and a form",
      { tools: [{ googleSearch: {} }], generationConfig: { responseMimeType: "application/json" } },
      "400 INVALID_ARGUMENT Tool use with a response mime type: 'application/json' is unsupported",
    ],
    [
      "the search of old",
      { tools: [{ googleSearchRetrieval: {} }] },
      "400 INVALID_ARGUMENT Unable to submit request because google_search_retrieval is not supported",
    ],
    [
      "one category twice",
      { safetySettings: Array(2).fill({ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }) },
      `${RULE}.safety_settings[1].category`,
    ],
    [
      "a category of long ago",
      { safetySettings: [{ category: "HARM_CATEGORY_TOXICITY", threshold: "OFF" }] },
      `${RULE}.safety_settings[0].category: element predicate failed`,
    ],
    [
      "a cached content that is gone",
      { cachedContent: "cachedContents/none" },
      "403 PERMISSION_DENIED CachedContent not found (or permission denied)",
    ],
  ])("%s", async (_, extra, expected) => {
    expect(await refusal("gemini-2.5-flash", ask("hi", extra))).toStartWith(expected);
  });

  test("the third generation accepts all of them together, if it may report server-side tools", async () => {
    const both = { tools: [{ googleSearch: {} }, WEATHER] };
    const shown = { ...both, toolConfig: { includeServerSideToolInvocations: true } };
    const form = { tools: [WEATHER], generationConfig: { responseMimeType: "application/json" } };

    expect(await refusal("gemini-3.5-flash", ask("hi", both))).toContain(
      "Please enable tool_config",
    );
    expect(await refusal("gemini-3.5-flash", ask("hi", shown))).toBe("accepted");
    expect(await refusal("gemini-3.5-flash", ask("hi", form))).toBe("accepted");
    expect(
      await refusal(
        "gemini-3.5-flash",
        ask("hi", { tools: [declared({ name: "f".repeat(128) })] }),
      ),
    ).toBe("accepted");
  });
});
