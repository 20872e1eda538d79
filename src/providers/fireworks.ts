import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

export const fireworks: Provider = {
  id: "fireworks",
  name: "Fireworks AI",
  prefixes: ["fireworks_ai"],
  docs: "https://docs.fireworks.ai",
  baseUrl: "https://api.fireworks.ai/inference/v1",
  keyVariable: "FIREWORKS_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ reasoning: "budget", topK: true, webSearch: false }),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};
