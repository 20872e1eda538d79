import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { invalid } from "#core/error.ts";
import { refuse } from "#core/lossy.ts";
import type { OperationResult } from "#core/operation.ts";
import type { Address } from "#core/style.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import type { Rule } from "#lib/rules.ts";
import { defined, integerOf, listOf, memberOf, restOf, textOf } from "#lib/values.ts";
import { camelized } from "#styles/text/gemini/request/names.ts";
import { validate } from "#core/validate.ts";
import { BATCH_REQUEST, EMBED_REQUEST, KNOWN, KNOWN_OF_BATCH } from "./fields.ts";
import { taskOf } from "./task.ts";

type Answer = Embeddings & Required<OperationResult>;

/** One text. The path names the model; only some paths allow the body to repeat it. */
export function readOne(
  body: JsonObject,
  { model = "" }: Address,
  mayName: boolean,
): EmbeddingRequest {
  const item = checked(body, EMBED_REQUEST);
  if (!mayName && textOf(item["model"]) !== undefined) {
    throw invalid("model", "'model' must be omitted from the body: the path has it.");
  }
  refuseOtherModel(item, model, "");
  return {
    model,
    inputs: [textIn(item, "")],
    ...settingsOf(item),
    ...extraOf([restOf(item, KNOWN)]),
  };
}

/** Several texts. They are one request, so options must be equal for all. */
export function readMany(body: JsonObject, { model = "" }: Address): EmbeddingRequest {
  const batch = checked(body, BATCH_REQUEST);
  const items = listOf(batch["requests"]).filter(isObject);
  const [first = {}] = items;
  const inputs = items.map((item, at) => {
    const path = `requests[${at}].`;
    refuseOtherModel(item, model, path);
    for (const name of ["taskType", "title", "outputDimensionality"]) {
      if ((item[name] ?? null) === (first[name] ?? null)) continue;
      throw refuse(path + name, "it must be the same in all items of a batch.");
    }
    return textIn(item, path);
  });
  const rests = items.map((item) => restOf(item, KNOWN));
  return {
    model,
    inputs,
    ...settingsOf(first),
    ...extraOf([restOf(batch, KNOWN_OF_BATCH), ...rests]),
  };
}

export function writeOne({ vectors: [vector = new Float32Array()], usage }: Answer): JsonObject {
  return { embedding: { values: [...vector] }, metadata: metadataOf(usage) };
}

export function writeMany({ vectors, usage }: Answer): JsonObject {
  const embeddings = vectors.map((vector) => ({ values: [...vector] }));
  return { embeddings, metadata: metadataOf(usage) };
}

function metadataOf({ inputTokens }: Answer["usage"]): JsonObject {
  return { usage: { prompt_tokens: inputTokens, total_tokens: inputTokens } };
}

function checked(body: JsonObject, rule: Rule): JsonObject {
  const named = camelized(body);
  validate(named, rule);
  return named;
}

function refuseOtherModel(item: JsonObject, model: string, path: string): void {
  const written = textOf(item["model"]);
  if (written === undefined || written === model || written === `models/${model}`) return;
  throw invalid(`${path}model`, "The model in the body must be the one in the path.");
}

/** The parts of a content are one text. */
function textIn(item: JsonObject, path: string): string {
  const parts = memberOf(item["content"], "parts");
  const texts = (isArray(parts) ? parts : [parts]).map((part) => textOf(memberOf(part, "text")));
  if (texts.includes(undefined)) {
    throw invalid(`${path}content.parts`, `'${path}content.parts' must have only text parts.`);
  }
  const text = texts.filter((each) => each !== "").join("\n");
  if (text !== "") return text;
  throw invalid(
    `${path}content.parts`,
    `'${path}content.parts' must have a text that is not empty.`,
  );
}

function settingsOf(item: JsonObject): Partial<EmbeddingRequest> {
  return defined({
    task: taskOf(item["taskType"]),
    title: textOf(item["title"]),
    dimensions: integerOf(item["outputDimensionality"]),
  });
}

/** Unknown members, reported as lost: no upstream supports them. */
function extraOf(rests: readonly (JsonObject | undefined)[]): Pick<EmbeddingRequest, "extra"> {
  const members: JsonObject = Object.assign({}, ...rests);
  return Object.keys(members).length === 0 ? {} : { extra: { native: members } };
}
