import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { validate } from "#core/validate.ts";
import { refuse } from "#core/lossy.ts";
import type { OperationResult } from "#core/operation.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, restOf, textOf } from "#lib/values.ts";
import { toBase64 } from "#styles/embedding/vectors.ts";
import { KNOWN, REQUEST } from "./fields.ts";
import { taskOf } from "./input-type.ts";

export function read(body: JsonObject): EmbeddingRequest {
  refusePictures(body);
  validate(body, REQUEST);
  const extra = restOf(body, KNOWN);
  const isBase64 = listOf(body["embedding_types"]).includes("base64");
  return {
    model: textOf(body["model"]) ?? "",
    inputs: listOf(body["texts"]).flatMap((each) => textOf(each) ?? []),
    ...(isBase64 ? { encoding: "base64" } : {}),
    ...defined({
      task: taskOf(body["input_type"]),
      dimensions: integerOf(body["output_dimension"]),
      extra: extra && { texts: extra },
    }),
  };
}

/** Refuse images: without them, the vectors would embed other content. */
function refusePictures(body: JsonObject): void {
  for (const name of ["images", "inputs"]) {
    if ((body[name] ?? null) === null) continue;
    throw refuse(name, "only 'texts' can be embedded.");
  }
}

export function write(
  { vectors, usage }: Embeddings & Required<OperationResult>,
  { inputs, encoding }: EmbeddingRequest,
): JsonObject {
  const embeddings =
    encoding === "base64"
      ? { base64: vectors.map(toBase64) }
      : { float: vectors.map((vector) => [...vector]) };
  return {
    embeddings,
    texts: inputs.flatMap((each) => (typeof each === "string" ? [each] : [])),
    response_type: "embeddings_by_type",
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: usage.inputTokens } },
  };
}
