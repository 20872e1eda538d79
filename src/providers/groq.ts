import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { AUDIO } from "./shared-endpoints.ts";

/** Groq refuses some unsupported parameters, instead of ignoring them. */
export const groq: Provider = {
  id: "groq",
  name: "Groq",
  docs: "https://console.groq.com/docs/openai",
  baseUrl: "https://api.groq.com/openai/v1",
  keyVariable: "GROQ_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({
        reasoning: "effort",
        refuses: ["logit_bias", "logprobs", "top_logprobs"],
        maxChoices: 1,
        maxStops: 4,
        webSearch: false,
      }),
    },
  ],
  shared: [...AUDIO],
  modelsPath: "/models",
  authorize: bearer,
};
