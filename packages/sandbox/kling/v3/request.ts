import { readCommon } from "../common-fields.ts";
import { invalidValue, refused } from "../error.ts";
import { aspectOf } from "../images.ts";
import type { KlingOrder } from "../order.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { field, readObject, readText } from "@sluice/sandbox/openai/fields.ts";
import { checkContents, readContents, type Contents } from "./contents.ts";
import { findV3Model } from "./models.ts";
import { checkSettings, readSettings } from "./settings.ts";

export const PRODUCTS = ["text-to-video", "image-to-video", "omni-video"] as const;
export type Product = (typeof PRODUCTS)[number];

export function readV3Request(given: Json | undefined, product: Product, id: string): KlingOrder {
  const model = findV3Model(id, product);
  if (model === undefined) throw refused(1203, `The model ${id} does not exist`);
  if (!isJsonObject(given)) throw refused(1200);

  const contents = product === "text-to-video" ? onlyWords(given) : readContents(given, model);
  checkPrompt(contents.prompt, product === "text-to-video");
  const settings = readSettings(readObject(field(given, "settings")) ?? {}, model, product);
  if (product !== "text-to-video") checkContents(contents, settings, product, model, id);
  checkSettings(contents, settings, product, id, model);
  return {
    ...readCommon(readObject(field(given, "options")) ?? {}),
    style: "3.0",
    product,
    model: id,
    prompt: contents.prompt,
    resolution: settings.resolution,
    aspect: settings.aspect ?? aspectOf(contents.firstFrame ?? {}),
    seconds: settings.seconds ?? USUAL_SECONDS,
    hasSound: settings.audio === "native" || settings.audio === "original",
    hasReferences: contents.references.length > 0 || contents.video !== undefined,
  };
}

const USUAL_SECONDS = 5;

function onlyWords(body: JsonObject): Contents {
  const prompt = readText(field(body, "prompt")) ?? "";
  return {
    prompt,
    firstFrame: undefined,
    hasLastFrame: false,
    references: [],
    elements: 0,
    video: undefined,
  };
}

function checkPrompt(prompt: string, isNeeded: boolean): void {
  if (isNeeded && prompt.trim() === "") throw invalidValue("prompt", "cannot be empty");
  if (prompt.length > MAX_PROMPT)
    throw invalidValue("prompt", `at most ${MAX_PROMPT} characters are allowed`);
  const shots = prompt.match(/\bshot\s+\d+\s*,\s*\d+\s*,/gi) ?? [];
  if (shots.length > MAX_SHOTS)
    throw invalidValue("prompt", `at most ${MAX_SHOTS} shots are allowed`);
}

const MAX_PROMPT = 3_072;
const MAX_SHOTS = 6;
