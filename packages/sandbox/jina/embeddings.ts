import { countTokens } from "../engine/tokens.ts";
import { vectorOf } from "../engine/vector.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./refusal.ts";

const MODELS = new Map([
  ["jina-embeddings-v3", 1_024],
  ["jina-embeddings-v4", 2_048],
]);
const TASKS = [
  "retrieval.query",
  "retrieval.passage",
  "text-matching",
  "classification",
  "separation",
  "code.query",
  "code.passage",
];
const MAX_INPUTS = 512;

/** https://api.jina.ai/redoc#tag/embeddings. Throws `Refusal`. */
export function embed(body: JsonObject): JsonObject {
  const { model, task = null, dimensions = null, input } = body;
  const most = typeof model === "string" ? MODELS.get(model) : undefined;
  if (most === undefined) throw invalid("model: this model is not found.");
  if (task !== null && !TASKS.some((each) => each === task)) {
    throw invalid("task: this task is not known.");
  }
  if (!isSize(dimensions, most)) throw invalid(`dimensions: a whole number up to ${most}, please.`);
  for (const name of ["late_chunking", "normalized", "truncate"]) {
    if (typeof (body[name] ?? false) !== "boolean")
      throw invalid(`${name}: true or false, please.`);
  }
  const texts = readTexts(input);
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    model: model ?? null,
    object: "list",
    usage: { total_tokens: tokens, prompt_tokens: tokens },
    data: texts.map((text, index) => ({
      object: "embedding",
      index,
      embedding: [...vectorOf(text, dimensions ?? most)],
    })),
  };
}

function isSize(value: Json, most: number): value is number | null {
  if (value === null) return true;
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
}

/** A text or an object with one, or a list of either. */
function readTexts(input: Json | undefined): readonly string[] {
  const items = isJsonArray(input) ? input : [input ?? null];
  const texts = items.map((item) => (isJsonObject(item) ? item["text"] : item));
  const read = texts.filter((text) => typeof text === "string" && text !== "");
  if (read.length === texts.length && read.length > 0 && read.length <= MAX_INPUTS) {
    return read.map(String);
  }
  throw invalid(`input: from 1 to ${MAX_INPUTS} texts that are not empty are required.`);
}
