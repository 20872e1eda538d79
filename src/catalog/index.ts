import anthropic from "./anthropic.json" with { type: "json" };
import ark from "./ark.json" with { type: "json" };
import { type CatalogContent, type KnownModel, readCatalogFile } from "./catalog-file.ts";
import { indexModels } from "./index-models.ts";
import cohere from "./cohere.json" with { type: "json" };
import dashscope from "./dashscope.json" with { type: "json" };
import deepseek from "./deepseek.json" with { type: "json" };
import fireworks from "./fireworks.json" with { type: "json" };
import gemini from "./gemini.json" with { type: "json" };
import groq from "./groq.json" with { type: "json" };
import jina from "./jina.json" with { type: "json" };
import kling from "./kling.json" with { type: "json" };
import minimax from "./minimax.json" with { type: "json" };
import mistral from "./mistral.json" with { type: "json" };
import moonshot from "./moonshot.json" with { type: "json" };
import openai from "./openai.json" with { type: "json" };
import openrouter from "./openrouter.json" with { type: "json" };
import siliconflow from "./siliconflow.json" with { type: "json" };
import together from "./together.json" with { type: "json" };
import vidu from "./vidu.json" with { type: "json" };
import voyage from "./voyage.json" with { type: "json" };
import xai from "./xai.json" with { type: "json" };
import zhipu from "./zhipu.json" with { type: "json" };

export type { KnownModel } from "./catalog-file.ts";

/**
 * The search order for an id that its own provider does not list: original
 * vendors before hosts of other vendors' models.
 */
export const SHIPPED = [
  openai,
  anthropic,
  gemini,
  deepseek,
  mistral,
  xai,
  moonshot,
  zhipu,
  dashscope,
  ark,
  kling,
  vidu,
  minimax,
  cohere,
  jina,
  voyage,
  groq,
  together,
  fireworks,
  siliconflow,
  openrouter,
] as const;

/** That they are valid is tested, so it need not be found out at each start. */
const CONTENTS = SHIPPED as unknown as readonly CatalogContent[];

export const SHIPPED_FILES = CONTENTS.map(readCatalogFile);

export const SHIPPED_INDEX = indexModels(SHIPPED_FILES);

/**
 * Finds a model by its exact id or alias. A provider that does not list it uses
 * the first provider that does: `owner` names the provider of the row and its
 * price.
 */
export function findModel(providerId: string, modelId: string): KnownModel | undefined {
  return SHIPPED_INDEX.findModel(providerId, modelId);
}

/** A provider's models, newest families first; empty for an unknown provider. */
export function listModels(providerId: string): readonly KnownModel[] {
  return SHIPPED_INDEX.listModels(providerId);
}
