import type { BodyEdits } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { readCredential } from "./ark/credential.ts";
import { ARK_ASSETS, ARK_OPTIONS } from "./ark-assets.ts";
import { ARK_IMAGES } from "./ark-images.ts";
import { ARK_VIDEOS, ARK_VIDEO_MODELS } from "./ark-videos.ts";
import { bearer, type Provider } from "./provider.ts";

/**
 * `max_tokens` excludes reasoning from the count, `max_completion_tokens` includes it; sending both
 * is an error.
 */
const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: true,
  reasoning: "type",
  webSearch: false,
};

/**
 * Ark's newer models reason by default; the gateway switches that off unless the client requests
 * reasoning. A credential is an API key for models, optionally with the access key pair for the
 * asset library.
 */
export const ark: Provider = {
  id: "ark",
  name: "Volcengine Ark",
  prefixes: ["volcengine"],
  docs: "https://www.volcengine.com/docs/82379/1494384",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  keyVariable: "ARK_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest: (body, model) => ({
        ...adaptToDialect(body, DIALECT),
        ...quietUnlessAsked(body, model),
      }),
    },
  ],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 256 }],
  images: ARK_IMAGES,
  videos: ARK_VIDEOS,
  assets: ARK_ASSETS,
  options: ARK_OPTIONS,
  modelsPath: "/models",
  models: ARK_VIDEO_MODELS,
  authorize: (secret) => bearer(readCredential(secret).apiKey),
};

/** The model family that reasons by default, without the models that always reason. */
const SWITCHED = /^doubao-seed-(?!.*-thinking)(1-[68]|[2-9]|code|evolving)/;

function quietUnlessAsked(body: JsonObject, model: string): BodyEdits {
  const { thinking, reasoning_effort: effort } = body;
  const isAsked = isSet(thinking) || (isSet(effort) && effort !== "minimal");
  return isAsked || !SWITCHED.test(model) ? {} : { thinking: { type: "disabled" } };
}

function isSet(value: JsonObject[string] | undefined): boolean {
  return value !== undefined && value !== null;
}
