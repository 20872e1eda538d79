import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { AUDIO } from "./shared-endpoints.ts";

/**
 * Groq refuses some unsupported parameters, instead of ignoring them. Its page names
 * `messages[].name` among them, but its servers take it: calls with the name of a tool were
 * answered with 200 (recorded in October and November 2025), its own client has the member in the
 * messages of users and assistants, and its errors suggest it for misspelt ones. Its servers refuse
 * `messages[].reasoning_content`, by reports until September 2026.
 */
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
        refusesInMessages: ["reasoning_content"],
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
