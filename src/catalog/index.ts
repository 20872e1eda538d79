import anthropic from "./anthropic.json" with { type: "json" };
import ark from "./ark.json" with { type: "json" };
import { type KnownModel, parseCatalogFile } from "./catalog-file.ts";
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
 * The order in which an id is looked for when its provider does not list it:
 * those who make models before those who host the models of others.
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

export const SHIPPED_FILES = SHIPPED.map(parseCatalogFile);

const INDEX = indexModels(SHIPPED_FILES);

/**
 * What is known of a model, by its id or one of its aliases, exactly as
 * written. A provider that does not list it borrows the first that does: the
 * `owner` says whose row, and so whose price, came back.
 */
export function findModel(providerId: string, modelId: string): KnownModel | undefined {
  return INDEX.findModel(providerId, modelId);
}

/** The models known of a provider, the newest families first; none for an unknown provider. */
export function listModels(providerId: string): readonly KnownModel[] {
  return INDEX.listModels(providerId);
}
