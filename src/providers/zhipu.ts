import { inDialect } from "#styles/text/chat/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

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
      ...inDialect({
        developerRole: false,
        maxCompletionTokens: false,
        reasoning: "type",
      }),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};
