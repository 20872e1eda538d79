import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { generatesLike } from "./compatible-images.ts";
import { bearer, type Provider } from "./provider.ts";
import { RERANK } from "./rerank-endpoints.ts";
import { AUDIO } from "./shared-endpoints.ts";

export const together: Provider = {
  id: "together",
  name: "Together AI",
  prefixes: ["together_ai"],
  docs: "https://docs.together.ai",
  baseUrl: "https://api.together.xyz/v1",
  keyVariable: "TOGETHER_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ reasoning: "flag", topK: true, webSearch: false }),
    },
  ],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 128 }],
  rerank: [RERANK],
  shared: [...AUDIO],
  images: [
    generatesLike({
      sizeAsSides: true,
      words: { response_format: { b64_json: "base64" } },
      maxPictures: 0,
    }),
  ],
  modelsPath: "/models",
  authorize: bearer,
};
