import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { Edit, Setting } from "./ask.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
/** 83 characters, as servers of tools make them. */
const LONG_NAME =
  "mcp__a_very_long_server_name_of_some_company__create_pull_request_review_comment_v2";
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=";
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n%%EOF").toString("base64");

const chatTool = (name: string): JsonObject => ({
  type: "function",
  function: { name, description: "Finds a city.", parameters: SCHEMA },
});
const responsesTool = (name: string): JsonObject => ({
  type: "function",
  name,
  description: "Finds a city.",
  parameters: SCHEMA,
  strict: false,
});
const messagesTool = (name: string): JsonObject => ({
  name,
  description: "Finds a city.",
  input_schema: SCHEMA,
});
const geminiTools = (name: string): readonly JsonObject[] => [
  { functionDeclarations: [{ name, description: "Finds a city.", parametersJsonSchema: SCHEMA }] },
];

const CHAT_TOOLS = [chatTool("find_city")];
const RESPONSES_TOOLS = [responsesTool("find_city")];
const MESSAGES_TOOLS = [messagesTool("find_city")];
const GEMINI_TOOLS = geminiTools("find_city");

/** The settings that clients send every day. */
export const USUAL_SETTINGS: readonly Setting[] = [
  {
    name: "temperature",
    chat: { temperature: 0.2 },
    responses: { temperature: 0.2 },
    messages: { temperature: 0.2 },
    gemini: config({ temperature: 0.2 }),
  },
  {
    name: "top_p",
    chat: { top_p: 0.9 },
    responses: { top_p: 0.9 },
    messages: { top_p: 0.9 },
    gemini: config({ topP: 0.9 }),
  },
  {
    name: "stop",
    chat: { stop: ["END", "STOP"] },
    messages: { stop_sequences: ["END", "STOP"] },
    gemini: config({ stopSequences: ["END", "STOP"] }),
  },
  { name: "seed", chat: { seed: 7 }, gemini: config({ seed: 7 }) },
  {
    name: "tools",
    chat: { tools: CHAT_TOOLS, tool_choice: "auto" },
    responses: { tools: RESPONSES_TOOLS, tool_choice: "auto" },
    messages: { tools: MESSAGES_TOOLS, tool_choice: { type: "auto" } },
    gemini: { tools: GEMINI_TOOLS },
  },
  {
    name: "forced tool",
    chat: {
      tools: CHAT_TOOLS,
      tool_choice: { type: "function", function: { name: "find_city" } },
    },
    responses: { tools: RESPONSES_TOOLS, tool_choice: { type: "function", name: "find_city" } },
    messages: { tools: MESSAGES_TOOLS, tool_choice: { type: "tool", name: "find_city" } },
    gemini: {
      tools: GEMINI_TOOLS,
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["find_city"] } },
    },
  },
  {
    name: "parallel tools",
    chat: { tools: CHAT_TOOLS, parallel_tool_calls: false },
    responses: { tools: RESPONSES_TOOLS, parallel_tool_calls: false },
    messages: {
      tools: MESSAGES_TOOLS,
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
  },
  {
    name: "json_schema",
    chat: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "city", strict: true, schema: SCHEMA },
      },
    },
    responses: {
      text: { format: { type: "json_schema", name: "city", strict: true, schema: SCHEMA } },
    },
    messages: { output_config: { format: { type: "json_schema", schema: SCHEMA } } },
    gemini: config({ responseMimeType: "application/json", responseJsonSchema: SCHEMA }),
  },
  {
    name: "json_object",
    chat: { response_format: { type: "json_object" } },
    responses: { text: { format: { type: "json_object" } } },
    gemini: config({ responseMimeType: "application/json" }),
  },
  {
    name: "reasoning effort",
    chat: { reasoning_effort: "high" },
    responses: { reasoning: { effort: "high", summary: "auto" } },
    messages: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    gemini: config({ thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true } }),
  },
  {
    name: "reasoning off",
    chat: { reasoning_effort: "none" },
    responses: { reasoning: { effort: "none" } },
    messages: { thinking: { type: "disabled" } },
    gemini: config({ thinkingConfig: { thinkingBudget: 0, includeThoughts: true } }),
  },
  {
    name: "reasoning budget",
    chat: { enable_thinking: true, thinking_budget: 1_500 },
    messages: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    gemini: config({ thinkingConfig: { thinkingBudget: 1_500, includeThoughts: true } }),
  },
  {
    name: "image",
    chat: chatParts({
      type: "image_url",
      image_url: { url: `data:image/png;base64,${PICTURE}`, detail: "low" },
    }),
    responses: responsesParts({
      type: "input_image",
      image_url: `data:image/png;base64,${PICTURE}`,
      detail: "low",
    }),
    messages: messagesParts({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: PICTURE },
    }),
    gemini: geminiParts({ inlineData: { mimeType: "image/png", data: PICTURE } }),
  },
  {
    name: "file",
    chat: chatParts({
      type: "file",
      file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
    }),
    responses: responsesParts({
      type: "input_file",
      filename: "a.pdf",
      file_data: `data:application/pdf;base64,${PDF}`,
    }),
    messages: messagesParts({
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: PDF },
    }),
    gemini: geminiParts({ inlineData: { mimeType: "application/pdf", data: PDF } }),
  },
  { name: "n", chat: { n: 2 }, gemini: config({ candidateCount: 2 }) },
  {
    name: "logprobs",
    chat: { logprobs: true, top_logprobs: 2 },
    responses: { top_logprobs: 2, include: ["message.output_text.logprobs"] },
    gemini: config({ responseLogprobs: true, logprobs: 2 }),
  },
  {
    name: "penalties",
    chat: { presence_penalty: 0.5, frequency_penalty: 0.5 },
    gemini: config({ presencePenalty: 0.5, frequencyPenalty: 0.5 }),
  },
  {
    name: "max tokens small",
    chat: { max_tokens: 20, reasoning_effort: "low" },
    responses: { max_output_tokens: 20, reasoning: { effort: "low" } },
    messages: { max_tokens: 20 },
    gemini: config({ maxOutputTokens: 20 }),
  },
  {
    name: "max tokens large",
    chat: { max_tokens: 64_000 },
    responses: { max_output_tokens: 64_000 },
    messages: { max_tokens: 64_000 },
    gemini: config({ maxOutputTokens: 64_000 }),
  },
  {
    name: "prefill",
    chat: afterwards("messages", { role: "assistant", content: "Well," }),
    responses: afterwards("input", { role: "assistant", content: "Well," }),
    messages: afterwards("messages", { role: "assistant", content: "Well," }),
    gemini: afterwards("contents", { role: "model", parts: [{ text: "Well," }] }),
  },
  {
    name: "system and metadata",
    chat: (body) => ({
      ...body,
      messages: [
        { role: "system", content: "Be kind." },
        { role: "developer", content: "Be brief." },
        ...listIn(body["messages"]),
        { role: "assistant", content: "Yes?" },
        { role: "system", content: "Now be quick." },
        { role: "user", content: "Go on.", name: "Ann" },
      ],
      user: "user-1",
      metadata: { team: "a" },
      store: false,
    }),
    responses: (body) => ({
      ...body,
      instructions: "Be kind.",
      input: [
        { role: "developer", content: "Be brief." },
        ...listIn(body["input"]),
        { role: "assistant", content: "Yes?" },
        { role: "system", content: "Now be quick." },
        { role: "user", content: "Go on." },
      ],
      metadata: { team: "a" },
      safety_identifier: "user-1",
    }),
    messages: { system: "Be kind.", metadata: { user_id: "user-1" } },
    gemini: { systemInstruction: { parts: [{ text: "Be kind." }] }, labels: { team: "a" } },
  },
];

/** What clients send besides, and what several settings do together. */
export const RARER_SETTINGS: readonly Setting[] = [
  {
    name: "plain",
    chat: {},
    responses: {},
    messages: {},
    gemini: {},
  },
  {
    name: "long tool name",
    chat: { tools: [chatTool(LONG_NAME)] },
    responses: { tools: [responsesTool(LONG_NAME)] },
    messages: { tools: [messagesTool(LONG_NAME)] },
    gemini: { tools: geminiTools(LONG_NAME) },
  },
  {
    name: "all sampling",
    chat: { temperature: 0.2, top_p: 0.9, top_k: 20, tools: CHAT_TOOLS, max_tokens: 4_096 },
    messages: { temperature: 0.2, top_p: 0.9, top_k: 20, tools: MESSAGES_TOOLS },
    gemini: config({ temperature: 0.2, topP: 0.9, topK: 20 }),
  },
  {
    name: "no tools",
    chat: { tools: [], tool_choice: "auto" },
    responses: { tools: [], tool_choice: "auto" },
    messages: { tools: [] },
    gemini: { tools: [] },
  },
  {
    name: "enum",
    gemini: config({
      responseMimeType: "text/x.enum",
      responseSchema: { type: "STRING", enum: ["yes", "no"] },
    }),
  },
  {
    name: "service tier",
    chat: { service_tier: "on_demand" },
    responses: { service_tier: "flex" },
    messages: { service_tier: "standard_only" },
    gemini: { serviceTier: "FLEX" },
  },
  {
    name: "video",
    chat: chatParts({
      type: "video_url",
      video_url: { url: "data:video/mp4;base64,AAAAIGZ0eXBpc29t" },
    }),
    gemini: geminiParts({ inlineData: { mimeType: "video/mp4", data: "AAAAIGZ0eXBpc29t" } }),
  },
  {
    name: "reasoning and forced tool",
    chat: { reasoning_effort: "high", tools: CHAT_TOOLS, tool_choice: "required" },
    responses: { reasoning: { effort: "high" }, tools: RESPONSES_TOOLS, tool_choice: "required" },
    gemini: {
      ...configOf({ thinkingConfig: { thinkingBudget: -1 } }),
      tools: GEMINI_TOOLS,
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    },
  },
  {
    name: "reasoning and json_schema",
    chat: {
      reasoning_effort: "high",
      response_format: { type: "json_schema", json_schema: { name: "city", schema: SCHEMA } },
    },
    responses: {
      reasoning: { effort: "high" },
      text: { format: { type: "json_schema", name: "city", schema: SCHEMA } },
    },
    gemini: {
      ...configOf({
        responseMimeType: "application/json",
        responseJsonSchema: SCHEMA,
        thinkingConfig: { thinkingBudget: -1 },
      }),
    },
  },
  {
    name: "json_object with tools",
    chat: { response_format: { type: "json_object" }, tools: CHAT_TOOLS },
    responses: { text: { format: { type: "json_object" } }, tools: RESPONSES_TOOLS },
    gemini: {
      ...configOf({ responseMimeType: "application/json", responseJsonSchema: SCHEMA }),
      tools: GEMINI_TOOLS,
    },
  },
  {
    name: "thinking switched",
    chat: { thinking: { type: "enabled" } },
    messages: { thinking: { type: "enabled", budget_tokens: 4_000 }, max_tokens: 8_000 },
  },
  {
    name: "thinking off beside a great effort",
    messages: { thinking: { type: "disabled" }, output_config: { effort: "max" } },
  },
  {
    name: "thinking switched off",
    chat: { thinking: { type: "disabled" }, temperature: 0.5 },
  },
  {
    name: "enable_thinking off",
    chat: { enable_thinking: false },
  },
  {
    name: "history, no tool allowed",
    chat: (body) => ({
      ...body,
      messages: [
        ...listIn(body["messages"]),
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "call_1",
              type: "function",
              function: { name: "find_city", arguments: '{"city":"Rome"}' },
            },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "found" },
      ],
      tools: CHAT_TOOLS,
      tool_choice: "none",
    }),
    responses: (body) => ({
      ...body,
      input: [
        ...listIn(body["input"]),
        {
          type: "function_call",
          call_id: "call_1",
          name: "find_city",
          arguments: '{"city":"Rome"}',
        },
        { type: "function_call_output", call_id: "call_1", output: "found" },
      ],
      tools: RESPONSES_TOOLS,
      tool_choice: "none",
    }),
    messages: (body) => ({
      ...body,
      messages: [
        ...listIn(body["messages"]),
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "toolu_1", name: "find_city", input: { city: "Rome" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "found" }],
        },
      ],
      tools: MESSAGES_TOOLS,
      tool_choice: { type: "none" },
    }),
    gemini: (body) => ({
      ...body,
      contents: [
        ...listIn(body["contents"]),
        { role: "model", parts: [{ functionCall: { name: "find_city", args: { city: "Rome" } } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "find_city", response: { result: "found" } } }],
        },
      ],
      tools: GEMINI_TOOLS,
      toolConfig: { functionCallingConfig: { mode: "NONE" } },
    }),
  },
];

function config(members: JsonObject): Edit {
  return configOf(members);
}

function configOf(members: JsonObject): JsonObject {
  return { generationConfig: members };
}

function listIn(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

function afterwards(member: string, turn: JsonObject): Edit {
  return (body) => ({ ...body, [member]: [...listIn(body[member]), turn] });
}

function chatParts(part: JsonObject): Edit {
  return (body) => ({
    ...body,
    messages: [{ role: "user", content: [{ type: "text", text: textIn(body, "messages") }, part] }],
  });
}

function responsesParts(part: JsonObject): Edit {
  return (body) => ({
    ...body,
    input: [{ role: "user", content: [{ type: "input_text", text: textIn(body, "input") }, part] }],
  });
}

function messagesParts(part: JsonObject): Edit {
  return (body) => ({
    ...body,
    messages: [{ role: "user", content: [{ type: "text", text: textIn(body, "messages") }, part] }],
  });
}

function geminiParts(part: JsonObject): Edit {
  return (body) => {
    const [turn] = listIn(body["contents"]);
    const parts = isObject(turn) ? listIn(turn["parts"]) : [];
    return { ...body, contents: [{ role: "user", parts: [...parts, part] }] };
  };
}

function textIn(body: JsonObject, member: string): Json {
  const [turn] = listIn(body[member]);
  return (isObject(turn) ? turn["content"] : undefined) ?? "";
}
