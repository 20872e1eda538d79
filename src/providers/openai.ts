import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

export const openai: Provider = {
  id: "openai",
  name: "OpenAI",
  docs: "https://platform.openai.com/docs/api-reference/chat",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  needsKey: true,
  text: [{ style: chat, path: "/chat/completions", isFaithful: true }],
  modelsPath: "/models",
  authorize: bearer,
};
