import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { generatesLike } from "./compatible-images.ts";
import { bearer, type Provider } from "./provider.ts";

export const ollama: Provider = {
  id: "ollama",
  name: "Ollama",
  docs: "https://github.com/ollama/ollama/blob/main/docs/openai.md",
  baseUrl: "http://127.0.0.1:11434/v1",
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
  images: [{ ...generatesLike({ takes: ["size"], maxPictures: 0 }), maxInputs: 1 }],
  modelsPath: "/models",
  authorize: bearer,
};
