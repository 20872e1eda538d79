import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: false,
  reasoning: "type",
  formats: ["json"],
  serviceTiers: [],
  parts: ["text", "image_url"],
  reasonersRefuse: ["logprobs", "top_logprobs"],
  jsonWord: true,
  forcedToolsWhileReasoning: false,
  reasoningBack: "text",
};

/**
 * DeepSeek knows neither the developer role nor `max_completion_tokens`. Its
 * first reasoning model refuses reasoning sent back to it, its later ones
 * refuse a conversation without it, empty where there was none.
 */
export const deepseek: Provider = {
  id: "deepseek",
  name: "DeepSeek",
  docs: "https://api-docs.deepseek.com",
  baseUrl: "https://api.deepseek.com/v1",
  keyVariable: "DEEPSEEK_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest(body) {
        const edits = adaptToDialect(body, {
          ...DIALECT,
          ...(isFirstReasoner(body) ? { refusesInMessages: ["reasoning_content"] } : {}),
        });
        return needsReasoning(body)
          ? { ...edits, messages: withReasoning(edits["messages"] ?? body["messages"]) }
          : edits;
      },
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};

function isFirstReasoner(body: JsonObject): boolean {
  return body["model"] === "deepseek-reasoner" || body["model"] === "deepseek-r1";
}

function needsReasoning(body: JsonObject): boolean {
  const { model, messages } = body;
  if (typeof model !== "string" || !model.startsWith("deepseek-v4") || !isArray(messages))
    return false;
  return messages.some((each) => isObject(each) && lacksReasoning(each));
}

function withReasoning(messages: JsonObject[string]): JsonObject[string] {
  if (!isArray(messages)) return messages;
  return messages.map((each) =>
    isObject(each) && lacksReasoning(each) ? { ...each, reasoning_content: "" } : each,
  );
}

function lacksReasoning(message: JsonObject): boolean {
  return message["role"] === "assistant" && typeof message["reasoning_content"] !== "string";
}
