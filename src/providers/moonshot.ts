import { adaptToDialect } from "#styles/text/chat/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

export const moonshot: Provider = {
  id: "moonshot",
  name: "Moonshot AI",
  docs: "https://platform.moonshot.ai/docs",
  baseUrl: "https://api.moonshot.ai/v1",
  keyVariable: "MOONSHOT_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      adaptRequest: (body) =>
        adaptToDialect(body, { developerRole: false, maxCompletionTokens: false }),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};
