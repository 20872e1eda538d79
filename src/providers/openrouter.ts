import { inDialect } from "#styles/text/chat/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";

export const openrouter: Provider = {
  id: "openrouter",
  name: "OpenRouter",
  docs: "https://openrouter.ai/docs",
  baseUrl: "https://openrouter.ai/api/v1",
  keyVariable: "OPENROUTER_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ reasoning: "object", reasoningBack: "details", topK: true, pictures: true }),
    },
  ],
  rerank: [rerankWith({ provider: "provider" })],
  modelsPath: "/models",
  authorize: bearer,
};
