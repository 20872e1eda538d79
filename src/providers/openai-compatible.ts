import { embeddings } from "#styles/embedding/openai/index.ts";
import { chat } from "#styles/text/chat/index.ts";
import { COMPATIBLE_IMAGES } from "./compatible-images.ts";
import { COMPATIBLE_VIDEOS } from "./openai-videos.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";
import { AUDIO, MODERATIONS } from "./shared-endpoints.ts";

/** Any server that speaks chat completions; its address comes from the channel. */
export const openaiCompatible: Provider = {
  id: "openai-compatible",
  name: "OpenAI-compatible",
  docs: "https://platform.openai.com/docs/api-reference/chat",
  needsKey: false,
  text: [{ style: chat, path: "/chat/completions", isFaithful: true }],
  embeddings: [
    {
      style: embeddings,
      path: "/embeddings",
      maxInputs: 2_048,
      dialect: { takesTokens: true, takesUser: true, carries: "all" },
    },
  ],
  rerank: [rerankWith("all")],
  shared: [...AUDIO, MODERATIONS],
  images: COMPATIBLE_IMAGES,
  videos: COMPATIBLE_VIDEOS,
  modelsPath: "/models",
  authorize: bearer,
};
