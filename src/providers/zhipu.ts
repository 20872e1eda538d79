import type { BodyEdits } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

/** `clear_thinking` drops the reasoning of earlier turns unless it is false. */
const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: false,
  reasoning: "type",
  reasoningBack: "text",
  webSearch: false,
  keepsReasoning: {
    by: { thinking: { type: "enabled", clear_thinking: false } },
    models: /^glm-(4\.[7-9]|[5-9])/,
  },
};

export const zhipu: Provider = {
  id: "zhipu",
  name: "Zhipu AI",
  prefixes: ["z-ai", "zai"],
  docs: "https://docs.bigmodel.cn",
  baseUrl: "https://open.bigmodel.cn/api/paas/v4",
  keyVariable: "ZHIPU_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest: (body, model, report) => ({
        ...adaptToDialect(body, DIALECT, report),
        ...streamedTools(body, model),
      }),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};

const STREAMS_TOOLS = /^glm-(4\.[6-9]|[5-9])/;

/** Otherwise the arguments of a call arrive in one piece, after minutes without a byte. */
function streamedTools(body: JsonObject, model: string): BodyEdits {
  const isSaid = (body["tool_stream"] ?? undefined) !== undefined;
  const isCalling = body["stream"] === true && listOf(body["tools"]).length > 0;
  return isCalling && !isSaid && STREAMS_TOOLS.test(model) ? { tool_stream: true } : {};
}
