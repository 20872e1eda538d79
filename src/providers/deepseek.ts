import { deepseekBalance } from "./balances.ts";
import type { BodyEdits } from "#core/style.ts";
import type { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import {
  adaptToDialect,
  strictOf,
  withoutStrict,
  type ChatDialect,
} from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: false,
  reasoning: "type",
  formats: ["json"],
  serviceTiers: [],
  maxStops: 16,
  parts: ["text", "image_url"],
  reasonersRefuse: ["logprobs", "top_logprobs"],
  jsonHint: true,
  forcedToolsWhileReasoning: false,
  reasoningBack: "text",
  prefill: "prefix",
  webSearch: false,
};

/** A path relative to the channel's address, which ends with a version. */
const BETA = "/../beta/chat/completions";

/**
 * DeepSeek supports neither the developer role nor `max_completion_tokens`. Its first reasoning
 * model refuses reasoning in the conversation; later models require it, empty if none was made.
 * Strict tools and a prefilled answer are served at the beta path only.
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
      pathFor: (body) => (needsBeta(body) ? BETA : undefined),
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest(body, _model, report) {
        const dialect = isFirstReasoner(body)
          ? { ...DIALECT, refusesInMessages: ["reasoning_content"] }
          : DIALECT;
        const edits = { ...adaptToDialect(body, dialect, report), ...alike(body, report) };
        return needsReasoning(body)
          ? { ...edits, messages: withReasoning(edits["messages"] ?? body["messages"]) }
          : edits;
      },
    },
  ],
  modelsPath: "/models",
  balance: deepseekBalance,
  authorize: bearer,
};

function isFirstReasoner(body: JsonObject): boolean {
  return body["model"] === "deepseek-reasoner" || body["model"] === "deepseek-r1";
}

/** The vendor refuses a mix of strict and other tools. */
function alike({ tools }: JsonObject, report?: LossReport): BodyEdits {
  const strict = listOf(tools).filter((tool) => strictOf(tool) === true).length;
  if (strict === 0 || strict === listOf(tools).length) return {};
  return { tools: withoutStrict(tools, report) };
}

function needsBeta({ tools, messages }: JsonObject): boolean {
  if (listOf(tools).some((tool) => strictOf(tool) === true)) return true;
  return memberOf(listOf(messages).at(-1), "prefix") === true;
}

/**
 * All models except those up to the third generation, which the vendor has retired and other hosts
 * still serve.
 */
function needsReasoning(body: JsonObject): boolean {
  const { model, messages } = body;
  if (typeof model !== "string" || OLD.test(model) || !isArray(messages)) return false;
  return messages.some((each) => isObject(each) && lacksReasoning(each));
}

const OLD = /^deepseek-(chat|reasoner|coder|v[1-3]|r\d)/;

function withReasoning(messages: JsonObject[string]): JsonObject[string] {
  if (!isArray(messages)) return messages;
  return messages.map((each) =>
    isObject(each) && lacksReasoning(each) ? { ...each, reasoning_content: "" } : each,
  );
}

function lacksReasoning(message: JsonObject): boolean {
  return message["role"] === "assistant" && typeof message["reasoning_content"] !== "string";
}
