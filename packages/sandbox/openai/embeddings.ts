import { countTokens } from "../engine/tokens.ts";
import { vectorOf } from "../engine/vector.ts";
import { isJsonArray, type Json, type JsonObject } from "../json.ts";
import { ApiError, invalid } from "./error.ts";
import { field, objectIn, readChoice, readInteger, readText, required } from "./fields.ts";

interface Embedder {
  readonly id: string;
  readonly size: number;
  /** Its vectors cannot be shortened. */
  readonly isFixed: boolean;
}

export const EMBEDDERS: readonly Embedder[] = [
  { id: "text-embedding-3-small", size: 1_536, isFixed: false },
  { id: "text-embedding-3-large", size: 3_072, isFixed: false },
  { id: "text-embedding-ada-002", size: 1_536, isFixed: true },
];

const MAX_INPUTS = 2_048;
const MAX_INPUT_TOKENS = 8_192;
const MAX_TOKENS = 300_000;

/** https://platform.openai.com/docs/api-reference/embeddings. Throws `ApiError` if it refuses. */
export function embeddings(asked: Json | undefined): JsonObject {
  const body = objectIn(asked);
  const embedder = findEmbedder(readModel(body));
  const size = readSize(body, embedder);
  const encoding = readChoice(field(body, "encoding_format"), ["float", "base64"]);
  readText(field(body, "user"));
  const inputs = readInputs(field(body, "input").value);
  const tokens = inputs.map((input) =>
    typeof input === "string" ? countTokens(input) : input.length,
  );
  const total = tokens.reduce((sum, each) => sum + each, 0);
  if (Math.max(...tokens) > MAX_INPUT_TOKENS || total > MAX_TOKENS) throw tooLong(total);
  return {
    object: "list",
    data: inputs.map((input, index) => {
      const vector = vectorOf(typeof input === "string" ? input : input.join(" "), size);
      return { object: "embedding", index, embedding: written(vector, encoding ?? "float") };
    }),
    model: embedder.id,
    usage: { prompt_tokens: total, total_tokens: total },
  };
}

function readModel(body: JsonObject): string {
  const model = field(body, "model");
  return required(model, readText(model));
}

function findEmbedder(id: string): Embedder {
  const found = EMBEDDERS.find((embedder) => embedder.id === id);
  if (found !== undefined) return found;
  throw new ApiError(404, {
    message: `The model \`${id}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  });
}

function readSize(body: JsonObject, { size, isFixed }: Embedder): number {
  const wished = readInteger(field(body, "dimensions"), 1, size);
  if (wished === undefined || !isFixed) return wished ?? size;
  throw invalid(null, null, "This model does not support specifying dimensions.");
}

type Input = string | readonly number[];

/** A text, its tokens, or a list of either. */
function readInputs(input: Json | undefined): readonly Input[] {
  const one = readInput(input);
  if (one !== undefined) return [one];
  if (!isJsonArray(input) || input.length === 0 || input.length > MAX_INPUTS) throw badInput();
  return input.map((item) => {
    const read = readInput(item);
    if (read === undefined) throw badInput();
    return read;
  });
}

function readInput(value: Json | undefined): Input | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!isJsonArray(value) || value.length === 0) return undefined;
  const tokens = value.filter((item) => typeof item === "number" && Number.isInteger(item));
  return tokens.length === value.length ? tokens.map(Number) : undefined;
}

function badInput(): ApiError {
  return invalid(null, null, "'$.input' is invalid. Please check the API reference.");
}

function tooLong(tokens: number): ApiError {
  const message = `This model's maximum context length is ${MAX_INPUT_TOKENS} tokens, however you requested ${tokens} tokens. Please reduce your prompt.`;
  return invalid(null, null, message);
}

function written(vector: Float32Array, encoding: "float" | "base64"): Json {
  if (encoding === "float") return [...vector];
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
