import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { COMPATIBLE_IMAGES } from "./compatible-images.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";
import { TRANSCRIPTIONS, TRANSLATIONS } from "./shared-endpoints.ts";

export const vllm: Provider = {
  id: "vllm",
  name: "vLLM",
  docs: "https://docs.vllm.ai",
  baseUrl: "http://127.0.0.1:8000/v1",
  needsKey: false,
  isLocal: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ topK: true, webSearch: false }),
    },
  ],
  embeddings: [
    {
      style: embeddings,
      path: "/embeddings",
      maxInputs: 2_048,
      dialect: { takesTokens: true, carries: "all" },
    },
  ],
  rerank: [rerankWith("all")],
  shared: [TRANSCRIPTIONS, TRANSLATIONS],
  images: COMPATIBLE_IMAGES,
  modelsPath: "/models",
  authorize: bearer,
};
