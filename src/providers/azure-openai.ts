import { inDialect } from "#styles/text/chat/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { COMPATIBLE_IMAGES } from "./compatible-images.ts";
import { OPENAI_IMAGES } from "./openai-images.ts";
import { OPENAI_DIALECT, OPENAI_EMBEDDINGS, OPENAI_RESPONSES } from "./openai.ts";
import type { Provider } from "./provider.ts";
import { AUDIO } from "./shared-endpoints.ts";

/**
 * Each resource has an address of its own, `https://<resource>.openai.azure.com/openai/v1`,
 * below which models go by the names of their deployments.
 */
export const azureOpenai: Provider = {
  id: "azure-openai",
  name: "Azure OpenAI",
  prefixes: ["azure"],
  docs: "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
  needsKey: true,
  text: [
    { style: chat, path: "/chat/completions", isFaithful: true, ...inDialect(OPENAI_DIALECT) },
    {
      style: responses,
      path: "/responses",
      isFaithful: true,
      dialect: { ...OPENAI_RESPONSES },
    },
  ],
  embeddings: [OPENAI_EMBEDDINGS],
  // Part of a later version of the interface than everything else.
  shared: AUDIO.map((each) => ({ ...each, path: `${each.path}?api-version=preview` })),
  // A deployment may go by any name.
  images: [...OPENAI_IMAGES, ...COMPATIBLE_IMAGES],
  // The list there is of what could be deployed.
  needsModels: true,
  authorize: (secret) => ({ "api-key": secret }),
};
