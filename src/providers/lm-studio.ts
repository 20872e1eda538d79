import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

export const lmStudio: Provider = {
  id: "lm-studio",
  name: "LM Studio",
  docs: "https://lmstudio.ai/docs",
  baseUrl: "http://127.0.0.1:1234/v1",
  needsKey: false,
  isLocal: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: false,
      ...inDialect({ webSearch: false }),
    },
  ],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 512 }],
  modelsPath: "/models",
  authorize: bearer,
};
