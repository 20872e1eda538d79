import { asksForSearch, searchWeb, type WebSearch } from "../engine/web-search.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../json.ts";
import type { ChatDialect } from "../openai/dialect.ts";
import type { Message } from "../openai/messages.ts";
import { plainRequest } from "../openai/plain-request.ts";
import { QWEN_PARTS } from "./content-parts.ts";
import { deltaWriter } from "./deltas.ts";
import { newCallId, newRequestId } from "./ids.ts";
import { message } from "./message.ts";
import { findQwen } from "./models.ts";
import { checkParameters } from "./parameters.ts";
import { checkThinking, readThinking } from "./thinking.ts";
import { usage } from "./usage.ts";

/** https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions */
export const QWEN: ChatDialect = {
  request: {
    roles: ["system", "user", "assistant", "tool", "function"],
    userParts: QWEN_PARTS,
    findModel: findQwen,
    checkSupport(body, { id }) {
      const model = findQwen(id);
      if (model === undefined) return;
      checkThinking(body, model);
      checkParameters(body, model);
    },
    prepare,
    readThinking(body, { id }) {
      const model = findQwen(id);
      return model === undefined ? { effort: "none" } : readThinking(body, model);
    },
    readSearch,
    needsJsonWord: true,
  },
  answer: {
    newId: () => `chatcmpl-${newRequestId()}`,
    newCallId,
    common: () => ({ system_fingerprint: null }),
    message,
    deltas: deltaWriter,
    chunkChoice: ({ index, delta, logprobs, finish }) => ({
      delta,
      finish_reason: finish,
      index,
      logprobs,
    }),
    usage,
    showsNullUsage: true,
  },
};

/** Calls come one at a time unless told. */
function prepare(body: JsonObject): JsonObject {
  const plain = plainRequest(body);
  return isJsonArray(plain["tools"])
    ? { ...plain, parallel_tool_calls: plain["parallel_tool_calls"] ?? false }
    : plain;
}

function readSearch(body: JsonObject, messages: readonly Message[]): WebSearch | undefined {
  if (body["enable_search"] !== true) return undefined;
  const text = withoutMagicWords(messages.findLast(({ role }) => role === "user")?.text ?? "");
  const options = body["search_options"];
  const isForced = isJsonObject(options) && options["forced_search"] === true;
  return isForced || asksForSearch(text) ? searchWeb(text) : undefined;
}
