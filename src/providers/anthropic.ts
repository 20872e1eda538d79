import { betasFor } from "#styles/text/messages/betas.ts";
import { messages } from "#styles/text/messages/index.ts";
import type { Provider } from "./provider.ts";

/** Features in trial are switched on by a header; a caller may name more than its body shows. */
export const anthropic: Provider = {
  id: "anthropic",
  name: "Anthropic",
  docs: "https://docs.anthropic.com/en/api/messages",
  baseUrl: "https://api.anthropic.com/v1",
  keyVariable: "ANTHROPIC_API_KEY",
  needsKey: true,
  text: [
    {
      style: messages,
      path: "/messages",
      isFaithful: true,
      headers(body, ofCaller) {
        const asked = (ofCaller("anthropic-beta") ?? "").split(",").map((word) => word.trim());
        const betas = new Set([...asked, ...betasFor(body)].filter((word) => word !== ""));
        return betas.size === 0 ? {} : { "anthropic-beta": [...betas].join(",") };
      },
    },
  ],
  modelsPath: "/models?limit=1000",
  headers: { "anthropic-version": "2023-06-01" },
  authorize: (secret) => ({ "x-api-key": secret }),
};
