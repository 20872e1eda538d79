import { draw } from "../engine/drawing.ts";
import { isFailed, isRefused } from "../engine/refused-pictures.ts";
import { countTokens } from "../engine/tokens.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { ApiError, invalid } from "./error.ts";

interface Imagen {
  readonly id: string;
  readonly displayName: string;
  readonly sizes: readonly string[];
}

const IMAGENS: readonly Imagen[] = [
  { id: "imagen-4.0-generate-001", displayName: "Imagen 4", sizes: ["1K", "2K"] },
  { id: "imagen-4.0-ultra-generate-001", displayName: "Imagen 4 Ultra", sizes: ["1K", "2K"] },
  { id: "imagen-4.0-fast-generate-001", displayName: "Imagen 4 Fast", sizes: ["1K"] },
];

const PROMPT_TOKENS = 480;

export const IMAGEN_BODIES = IMAGENS.map(({ id, displayName }) => ({
  name: `models/${id}`,
  version: "001",
  displayName,
  description: `${displayName}, as the sandbox plays it`,
  inputTokenLimit: PROMPT_TOKENS,
  outputTokenLimit: 8_192,
  supportedGenerationMethods: ["predict"],
}));

/** Pictures of the older kind: https://ai.google.dev/gemini-api/docs/imagen */
export function predict(id: string, version: string, body: Json | undefined): JsonObject {
  const model = IMAGENS.find((each) => each.id === id);
  if (model === undefined) {
    throw new ApiError(
      404,
      `models/${id} is not found for API version ${version}, or is not supported for predict. Call ListModels to see the list of available models and their supported methods.`,
    );
  }
  const asked = readBody(body, model);
  const predictions = Array.from({ length: asked.count }, (_, index) => drawn(asked, index));
  return { predictions };
}

interface SentRequest {
  readonly prompt: string;
  readonly count: number;
  readonly aspectRatio: string;
  readonly size: string;
}

/** Fields of other names are ignored, as in any free-form message. */
function readBody(body: Json | undefined, { id, sizes }: Imagen): SentRequest {
  const { instances, parameters = {} } = isJsonObject(body) ? body : {};
  const [instance, ...others] = isJsonArray(instances) ? instances : [];
  if (!isJsonObject(instance) || others.length > 0)
    throw invalid("The request must contain exactly one instance.");
  const { prompt: text } = instance;
  if (typeof text !== "string" || text === "")
    throw invalid("The instance must contain a prompt that is not empty.");
  const prompt = withoutMagicWords(text);
  const tokens = countTokens(prompt);
  if (tokens > PROMPT_TOKENS) {
    throw invalid(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${PROMPT_TOKENS}).`,
    );
  }
  if (!isJsonObject(parameters)) throw invalid("The parameters must be an object.");
  const { imageSize, sampleImageSize, aspectRatio, personGeneration } = parameters;
  choice("personGeneration", personGeneration, PEOPLE, id);
  return {
    prompt,
    count: readCount(parameters["sampleCount"]),
    aspectRatio: choice("aspectRatio", aspectRatio, RATIOS, id) ?? "1:1",
    size: choice("imageSize", imageSize ?? sampleImageSize, sizes, id) ?? "1K",
  };
}

const PEOPLE: readonly string[] = ["dont_allow", "allow_adult", "allow_all"];
const RATIOS: readonly string[] = ["1:1", "3:4", "4:3", "9:16", "16:9"];

function readCount(count: Json | undefined): number {
  if (count === undefined || count === null) return MAX_IMAGES;
  if (typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= MAX_IMAGES)
    return count;
  throw invalid(
    `sampleCount must be between 1 and ${MAX_IMAGES}, inclusive. Received: ${JSON.stringify(count)}`,
  );
}

const MAX_IMAGES = 4;

function choice(
  name: string,
  value: Json | undefined,
  known: readonly string[],
  id: string,
): string | undefined {
  if (value === undefined || value === null) return undefined;
  // The names of an enumeration may also come in capitals.
  const found = known.find((each) => each === value || each.toUpperCase() === value);
  if (found !== undefined) return found;
  throw invalid(`${name} must be one of ${known.join(", ")} for models/${id}.`);
}

function drawn({ prompt, count, aspectRatio, size }: SentRequest, index: number): JsonObject {
  if (isRefused(prompt) || isFailed(prompt, index)) {
    return { raiFilteredReason: "The image was filtered out because it may violate the policies." };
  }
  const { width, height } = measures(aspectRatio, size === "2K" ? 2 : 1);
  const text = count === 1 ? prompt : `${index + 1} of ${count}: ${prompt}`;
  const bytes = draw({ width, height, prompt: text, given: 0, isMarked: false });
  return { mimeType: "image/png", bytesBase64Encoded: Buffer.from(bytes).toString("base64") };
}

function measures(aspectRatio: string, scale: number) {
  const [across = 1, down = 1] = aspectRatio.split(":").map(Number);
  const side = 1_024 * Math.sqrt(across / down);
  return {
    width: Math.round(side / 64) * 64 * scale,
    height: Math.round(((side / across) * down) / 64) * 64 * scale,
  };
}
