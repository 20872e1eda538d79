import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

export const lmStudio: Provider = {
  id: "lm-studio",
  name: "LM Studio",
  docs: "https://lmstudio.ai/docs",
  baseUrl: "http://127.0.0.1:1234/v1",
  needsKey: false,
  isLocal: true,
  text: [{ style: chat, path: "/chat/completions", isFaithful: false }],
  modelsPath: "/models",
  authorize: bearer,
};
