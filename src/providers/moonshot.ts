import { moonshotBalance } from "./balances.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

/** `max_tokens` is the deprecated name here. */
export const moonshot: Provider = {
  id: "moonshot",
  name: "Moonshot AI",
  prefixes: ["moonshotai"],
  docs: "https://platform.moonshot.ai/docs",
  baseUrl: "https://api.moonshot.ai/v1",
  keyVariable: "MOONSHOT_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({
        developerRole: false,
        maxCompletionTokens: true,
        reasoning: "type",
        reasoningBack: "text",
        strictTools: false,
        webSearch: false,
        // https://platform.kimi.ai/docs/api/partial, 2026-11-26: shown for K2.5, not said for K3.
        prefill: "partial",
      }),
    },
  ],
  modelsPath: "/models",
  balance: moonshotBalance,
  authorize: bearer,
};
