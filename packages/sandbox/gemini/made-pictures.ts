import { draw } from "../engine/drawing.ts";
import { toJpeg } from "../engine/jpeg.ts";
import { isFailed, isRefused } from "../engine/refused-pictures.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import type { JsonObject } from "../json.ts";
import { countGiven } from "./picture-config.ts";
import type { Portion } from "./portions.ts";
import { lastWords } from "./question.ts";
import type { GenerateRequest } from "./request.ts";

/** A picture of the right measures, the same for the same words. */
export function* drawnPortions(request: GenerateRequest, signature: string): Generator<Portion> {
  const { output, model, prompt } = request;
  if (!output.modalities.includes("IMAGE")) return;
  const isThird = model.generation === "3";
  const inlineData = pictureOf(request, askedOf(prompt));
  yield {
    part: { inlineData, ...(isThird ? { thoughtSignature: signature } : {}) },
    thoughts: 0,
    answer: isThird ? (output.picture.size === "4K" ? 2_000 : 1_120) : 1_290,
  };
}

/** What a model that thinks draws on its way, for those who see its thoughts. */
export function* draftPortions(request: GenerateRequest): Generator<Portion> {
  const { output, thinking, prompt } = request;
  const isThought = thinking.isShown && thinking.effort !== "none";
  if (!isThought || !output.modalities.includes("IMAGE")) return;
  const inlineData = pictureOf(request, `Draft: ${askedOf(prompt)}`);
  yield { part: { inlineData, thought: true }, thoughts: DRAFT_TOKENS, answer: 0 };
}

const DRAFT_TOKENS = 260;

export interface MissingPicture {
  readonly finishReason: "IMAGE_SAFETY" | "NO_IMAGE";
  readonly finishMessage: string;
}

/** Why there is no picture where one was asked for. Safety settings are of no help here. */
export function missingPicture({ output, prompt }: GenerateRequest): MissingPicture | undefined {
  if (!output.modalities.includes("IMAGE")) return undefined;
  const asked = askedOf(prompt);
  if (isRefused(asked)) {
    return {
      finishReason: "IMAGE_SAFETY",
      finishMessage: "Unable to show the generated image, which may violate the policies.",
    };
  }
  if (!isFailed(asked, 0)) return undefined;
  return {
    finishReason: "NO_IMAGE",
    finishMessage: "Unable to generate an image for this prompt. Please try another one.",
  };
}

function askedOf({ contents }: GenerateRequest["prompt"]): string {
  return withoutMagicWords(lastWords(contents));
}

/** The third generation answers in JPEG, as recorded of gemini-3-pro-image. */
function pictureOf({ output, model, prompt }: GenerateRequest, text: string): JsonObject {
  const { aspectRatio, size } = output.picture;
  const [across = 1, down = 1] = aspectRatio.split(":").map(Number);
  const side = (SIDES[size] ?? 1_024) * Math.sqrt(across / down);
  const bytes = draw({
    width: Math.round(side / 32) * 32,
    height: Math.round(((side / across) * down) / 32) * 32,
    prompt: text,
    given: countGiven(prompt.contents),
    isMarked: false,
  });
  return model.generation === "3"
    ? { mimeType: "image/jpeg", data: Buffer.from(toJpeg(bytes)).toString("base64") }
    : { mimeType: "image/png", data: Buffer.from(bytes).toString("base64") };
}

const SIDES: Readonly<Record<string, number>> = {
  "512": 512,
  "1K": 1_024,
  "2K": 2_048,
  "4K": 4_096,
};
