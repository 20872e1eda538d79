import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { invalid } from "#core/error.ts";
import type { OperationResult } from "#core/operation.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, restOf, textOf } from "#lib/values.ts";
import { toBase64 } from "#styles/embedding/vectors.ts";
import { validate } from "#core/validate.ts";
import { KNOWN, MAX_INPUTS, REQUEST } from "./fields.ts";

export function read(body: JsonObject): EmbeddingRequest {
  validate(body, REQUEST);
  const { encoding_format: encoding, input_type: task } = body;
  return {
    model: textOf(body["model"]) ?? "",
    inputs: readInputs(body["input"]),
    ...(encoding === "base64" ? { encoding } : {}),
    ...(task === "query" || task === "document" ? { task } : {}),
    ...defined({
      dimensions: integerOf(body["dimensions"]),
      user: textOf(body["user"]),
      extra: extraIn(body),
    }),
  };
}

function extraIn(body: JsonObject): EmbeddingRequest["extra"] {
  const rest = restOf(body, KNOWN);
  return rest && { embeddings: rest };
}

/** One text, one token array, or a list of either; the schema has already checked the types. */
function readInputs(input: Json | undefined): EmbeddingRequest["inputs"] {
  if (!isArray(input)) return [textOf(input) ?? ""];
  if (input.every((item) => typeof item === "number")) return [input];
  if (input.length > MAX_INPUTS) {
    throw invalid("input", `'input' must have ${MAX_INPUTS} items at most.`);
  }
  if (input.every((item) => typeof item === "string")) return input;
  const tokens = input.filter((item) => isArray(item)).map(numbersIn);
  if (tokens.length < input.length) {
    throw invalid("input", "'input' must have either texts or tokens, not both.");
  }
  return tokens;
}

function numbersIn(items: readonly Json[]): readonly number[] {
  return items.filter((item) => typeof item === "number");
}

export function write(
  { vectors, usage }: Embeddings & Required<OperationResult>,
  { model, encoding }: EmbeddingRequest,
  id?: string,
): JsonObject {
  const tokens = usage.inputTokens;
  return {
    // Clients of some vendors require it.
    ...(id === undefined ? {} : { id }),
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encoding === "base64" ? toBase64(vector) : [...vector],
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
