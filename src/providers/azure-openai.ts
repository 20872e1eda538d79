import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { COMPATIBLE_IMAGES } from "./compatible-images.ts";
import { OPENAI_IMAGES } from "./openai-images.ts";
import { OPENAI_DIALECT, OPENAI_EMBEDDINGS, OPENAI_RESPONSES } from "./openai.ts";
import { secretIn, type Provider } from "./provider.ts";
import { AUDIO } from "./shared-endpoints.ts";

/**
 * Each resource has its own base URL, `https://<resource>.openai.azure.com/openai/v1`, below which
 * deployment names stand for models.
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
  // Audio needs a later API version than the other endpoints.
  shared: AUDIO.map((each) => ({ ...each, path: `${each.path}?api-version=preview` })),
  // A deployment may have any name.
  images: [...OPENAI_IMAGES, ...COMPATIBLE_IMAGES],
  // The vendor's list contains deployable models, not deployed ones.
  needsModels: true,
  authorize: secretIn("api-key"),
};
