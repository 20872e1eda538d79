import { outside, readGiven, type ImageBounds } from "../engine/given-image.ts";
import type { Media } from "../engine/media.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { isJsonArray, isJsonObject, type Json } from "../json.ts";
import type { VendorRequest } from "../vendor.ts";
import { findImageModel, type ImageModel } from "./image-models.ts";
import { checkNegativePrompt, readParameters, type ImageParameters } from "./image-parameters.ts";
import { invalidParameter, memberOf, modelNotFound, wrongAddress } from "./native.ts";

/** A request for pictures that the vendor would accept. */
export interface ImageRequest extends ImageParameters {
  readonly model: ImageModel;
  readonly prompt: string;
  readonly given: readonly Media[];
}

/** The form with messages, of which there is one. */
export function readMessageRequest({ body, headers }: VendorRequest): ImageRequest {
  const model = readModel(body);
  const messages = memberOf(memberOf(body, "input"), "messages");
  if (!isJsonArray(messages)) throw invalidParameter("input.messages is required.");
  const [message, ...others] = messages;
  if (message === undefined || others.length > 0)
    throw invalidParameter("The length of input.messages must be 1.");
  if (memberOf(message, "role") !== "user")
    throw invalidParameter("The role of the message must be user.");

  const content = memberOf(message, "content");
  if (!isJsonArray(content)) throw invalidParameter("The content of the message must be a list.");
  const takesOss = headers["x-dashscope-ossresourceresolve"] === "enable";
  const given = content.flatMap((part) => readImage(memberOf(part, "image"), takesOss));
  const texts = content.flatMap((part) => memberOf(part, "text") ?? []);
  if (given.length + texts.length !== content.length)
    throw invalidParameter("Each item of the content must be a text or an image.");
  checkCount(given.length, model);
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0)
    throw invalidParameter("The content must contain exactly one text.");
  const prompt = readPrompt(text);
  return {
    model,
    prompt,
    given,
    ...readParameters(memberOf(body, "parameters"), model, given),
  };
}

/** The older form, with nothing but a prompt. */
export function readPromptRequest({ body }: VendorRequest): ImageRequest {
  const model = readModel(body);
  if (model.given.max > 0) throw wrongAddress();
  const input = memberOf(body, "input");
  checkNegativePrompt(memberOf(input, "negative_prompt"));
  const prompt = readPrompt(memberOf(input, "prompt"));
  return { model, prompt, given: [], ...readParameters(memberOf(body, "parameters"), model, []) };
}

/** The prompt of an image request, read before validation. */
export function promptIn(body: Json | undefined): string | undefined {
  const input = memberOf(body, "input");
  const messages = memberOf(input, "messages");
  const content = isJsonArray(messages) ? memberOf(messages.at(-1), "content") : undefined;
  const parts = isJsonArray(content) ? content : [input];
  const texts = parts.map((part) => memberOf(part, "text") ?? memberOf(part, "prompt"));
  return texts.find((text) => typeof text === "string");
}

function readModel(body: Json | undefined): ImageModel {
  if (!isJsonObject(body)) throw invalidParameter("A POST with a JSON object is required.");
  const id = memberOf(body, "model");
  if (typeof id !== "string" || id === "") throw invalidParameter("model is required.");
  const model = findImageModel(id);
  if (model === undefined) throw modelNotFound();
  return model;
}

function readPrompt(text: Json | undefined): string {
  if (typeof text !== "string" || text.trim() === "")
    throw invalidParameter("The prompt must be a text that is not empty.");
  const prompt = withoutMagicWords(text);
  if (prompt.length > MAX_PROMPT)
    throw invalidParameter(`Range of input length should be [1, ${MAX_PROMPT}]`);
  return prompt;
}

const MAX_PROMPT = 800;

function checkCount(count: number, { id, given: { min, max } }: ImageModel): void {
  if (count >= min && count <= max) return;
  throw invalidParameter(
    max === 0
      ? `The model ${id} does not support image input.`
      : `The number of images should be between ${min} and ${max}.`,
  );
}

function readImage(image: Json | undefined, takesOss: boolean): readonly Media[] {
  if (image === undefined) return [];
  const link = takesOss ? /^(?:https?|oss):\/\/[^\s/]+\/\S*$/ : /^https?:\/\/[^\s/]+\/\S*$/;
  const read = typeof image === "string" ? readGiven(image, link) : undefined;
  if (read === undefined)
    throw invalidParameter("The image must be a URL or a base64-encoded image.");
  const reason = outside(read, BOUNDS);
  if (reason === undefined) return [read];
  throw invalidParameter(`Invalid image: ${reason}.`);
}

const BOUNDS: ImageBounds = {
  types: ["image/jpeg", "image/png", "image/bmp", "image/tiff", "image/webp", "image/gif"],
  maxBytes: 10 * 1_048_576,
  minSide: 384,
  maxSide: 3_072,
  maxPixels: Infinity,
  maxRatio: Infinity,
};
