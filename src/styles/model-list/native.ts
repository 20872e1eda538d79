import type { ModelKind } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import type { ModelListStyle, Page, ShownModel } from "./model-list.ts";

const DEFAULT_SIZE = 50;
const MAX_SIZE = 1_000;

const GENERATES = ["generateContent", "streamGenerateContent", "countTokens"];
/** Methods by which clients filter models; models that only other styles serve have none. */
const METHODS: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: GENERATES,
  // Many of them generate images within a conversation.
  image: GENERATES,
  embedding: ["embedContent", "batchEmbedContents"],
  video: ["predictLongRunning"],
};

/** Pages by an offset, which the page token contains. */
export const nativeModelList: ModelListStyle = {
  id: "native",
  list: (models, page) => pageOf(models, page, "models", one),
  one,
  buildError,
};

/** The format in which the vendor's cloud lists a publisher's models. */
export const cloudModelList: ModelListStyle = {
  id: "native-cloud",
  list: (models, page) => pageOf(models, page, "publisherModels", published),
  one: published,
  buildError,
};

function published({ id }: ShownModel): JsonObject {
  return { name: `publishers/google/models/${id}`, versionId: id, launchStage: "GA" };
}

function pageOf(
  models: readonly ShownModel[],
  { query }: Page,
  member: string,
  write: (model: ShownModel) => JsonObject,
): JsonObject {
  const start = whole(query.get("pageToken"), 0, models.length);
  const size = whole(query.get("pageSize"), DEFAULT_SIZE, MAX_SIZE);
  const end = start + Math.max(1, size);
  return {
    [member]: models.slice(start, end).map(write),
    ...(end < models.length ? { nextPageToken: String(end) } : {}),
  };
}

function one(model: ShownModel): JsonObject {
  const { kind, contextTokens, maxOutputTokens } = model.traits;
  return {
    name: `models/${model.id}`,
    baseModelId: model.id,
    version: model.id,
    displayName: model.id,
    ...(contextTokens === undefined ? {} : { inputTokenLimit: contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: METHODS[kind ?? "chat"] ?? [],
  };
}

function whole(text: string | null, fallback: number, most: number): number {
  if (text === null || text === "") return fallback;
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 ? Math.min(value, most) : fallback;
}
