import { createHash } from "node:crypto";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { MODERATIONS, TRANSCRIPTIONS } from "./shared-endpoints.ts";

const ID = /^[A-Za-z0-9]{9}$/;

const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: false,
  streamOptions: false,
  compactStreams: true,
  refuses: ["user", "store", "logit_bias", "logprobs", "top_logprobs", "service_tier"],
  refusesInMessages: ["refusal", "reasoning_content", "annotations", "audio"],
  usersAfterTools: false,
  reasoning: "effort",
  seed: "random_seed",
  prefill: "prefix",
  webSearch: false,
};

/**
 * Mistral validates requests strictly. Tool-call ids must have exactly nine letters and digits.
 * Other ids, from a conversation with another vendor, are replaced by a derived one, so that calls
 * and results still match. Several models refuse a user message right after a tool message.
 */
export const mistral: Provider = {
  id: "mistral",
  name: "Mistral",
  prefixes: ["mistralai"],
  docs: "https://docs.mistral.ai/api",
  baseUrl: "https://api.mistral.ai/v1",
  keyVariable: "MISTRAL_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest(body, _model, report) {
        const edits = adaptToDialect(body, DIALECT, report);
        const messages = edits["messages"] ?? body["messages"];
        return {
          ...edits,
          ...(body["seed"] === undefined ? {} : { seed: undefined, random_seed: body["seed"] }),
          ...(body["tool_choice"] === "required" ? { tool_choice: "any" } : {}),
          ...(hasForeignIds(messages) ? { messages: withShortIds(messages) } : {}),
        };
      },
    },
  ],
  embeddings: [
    {
      style: embeddings,
      path: "/embeddings",
      maxInputs: 128,
      dialect: { dimensions: "output_dimension" },
    },
  ],
  shared: [
    {
      ...TRANSCRIPTIONS,
      // Its streams use other events, and its response format is fixed.
      answers: ({ stream, shape }) => !stream && (shape === "json" || shape === "text"),
      omits: ["response_format"],
    },
    MODERATIONS,
  ],
  modelsPath: "/models",
  authorize: bearer,
};

function hasForeignIds(messages: Json | undefined): boolean {
  if (!isArray(messages)) return false;
  return messages.some((message) => isObject(message) && idsOf(message).some((id) => !ID.test(id)));
}

function idsOf(message: JsonObject): string[] {
  const calls = isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const ids = calls.map((call) => (isObject(call) ? call["id"] : undefined));
  return [...ids, message["tool_call_id"]].filter((id) => typeof id === "string");
}

function withShortIds(messages: Json | undefined): Json | undefined {
  if (!isArray(messages)) return messages;
  return messages.map((message) => {
    if (!isObject(message)) return message;
    const { tool_calls: calls, tool_call_id: resultOf } = message;
    return {
      ...message,
      ...(typeof resultOf === "string" ? { tool_call_id: shortId(resultOf) } : {}),
      ...(isArray(calls) ? { tool_calls: calls.map(withShortId) } : {}),
    };
  });
}

function withShortId(call: Json): Json {
  if (!isObject(call) || typeof call["id"] !== "string") return call;
  return { ...call, id: shortId(call["id"]) };
}

function shortId(id: string): string {
  return ID.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
