import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

/** A program on the operator's machine that runs models of any origin behind chat completions. */
export const LOCAL_SERVER = {
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
} as const satisfies Partial<Provider>;
