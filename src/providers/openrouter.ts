import { openrouterBalance } from "./balances.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";

/** The smallest limit among the vendors behind it. */
const MAX_TEXTS = 96;

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
      ...inDialect({
        reasoning: "object",
        maxStops: 4,
        reasoningBack: "details",
        topK: true,
        pictures: true,
        // Doubtful: no page about it was found, and the vendors behind it differ.
        prefill: "always",
      }),
    },
  ],
  embeddings: [
    {
      style: embeddings,
      path: "/embeddings",
      maxInputs: MAX_TEXTS,
      dialect: {
        takesUser: true,
        carries: { provider: "provider" },
        task: { member: "input_type", words: { query: "query", document: "document" } },
      },
    },
  ],
  rerank: [rerankWith({ provider: "provider" })],
  modelsPath: "/models",
  balance: openrouterBalance,
  authorize: bearer,
};
