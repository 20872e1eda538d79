import type { JsonObject } from "../json.ts";
import { EMBEDDER_BODY } from "./embeddings.ts";
import { ApiError, invalid } from "./error.ts";
import { IMAGEN_BODIES } from "./imagen.ts";
import { MODELS, findModel, type Model } from "./models.ts";
import { readPage } from "./pages.ts";
import { findVeo, VEO_BODIES } from "./veo/models.ts";

/** Models that answer no conversations. */
const OTHERS = [EMBEDDER_BODY, ...IMAGEN_BODIES, ...VEO_BODIES];

export function listModels(query: URLSearchParams): JsonObject {
  const all = [...MODELS.map(modelBody), ...OTHERS];
  const { items, ...next } = readPage(all, ({ name }) => name, query);
  return { models: items, ...next };
}

export function getModel(id: string, version: string): JsonObject {
  const model = findModel(id);
  if (model !== undefined) return modelBody(model);
  const other = OTHERS.find(({ name }) => name === `models/${id}`);
  if (other !== undefined) return other;
  throw new ApiError(404, `Model is not found: models/${id} for api version ${version}`);
}

/** A model that supports the verb. */
export function modelFor(id: string, verb: string, version: string): Model {
  if (!/^[\w.-]+$/.test(id))
    throw invalid("* GenerateContentRequest.model: unexpected model name format\n");
  const model = findModel(id);
  if (model !== undefined) return model;
  if (findVeo(id) !== undefined) {
    // As if there were no quota for it, and with the way out in the message.
    throw new ApiError(429, `models/${id} makes videos: please use predictLongRunning for it.`);
  }
  throw new ApiError(
    404,
    `models/${id} is not found for API version ${version}, or is not supported for ${verb}. Call ListModels to see the list of available models and their supported methods.`,
  );
}

function modelBody(model: Model): JsonObject & { readonly name: string } {
  const isWriter = model.modalities[0]?.[0] === "TEXT" && model.modalities.length === 1;
  const caches = isWriter && model.isStrict === undefined;
  return {
    name: `models/${model.id}`,
    version: model.version,
    displayName: model.displayName,
    description: model.description,
    inputTokenLimit: model.inputTokens,
    outputTokenLimit: model.outputTokens,
    supportedGenerationMethods: [
      "generateContent",
      "countTokens",
      ...(caches ? ["createCachedContent"] : []),
    ],
    temperature: 1,
    topP: 0.95,
    topK: model.topK,
    maxTemperature: model.maxTemperature,
    ...(model.thinking === undefined ? {} : { thinking: true }),
  };
}
