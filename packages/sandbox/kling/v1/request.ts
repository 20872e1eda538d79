import { invalidValue, refused } from "../error.ts";
import { readCommon } from "../common-fields.ts";
import { ASPECTS, type KlingOrder } from "../order.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { field, readChoice, readNumber, readText } from "@sluice/sandbox/openai/fields.ts";
import { checkCamera, readImages } from "./images.ts";
import { findV1Model, USUAL_MODELS, type Scenario, type V1Model } from "./models.ts";
import { readOmni } from "./omni.ts";
import { readShots } from "./shots.ts";

export function readV1Request(given: Json | undefined, scenario: Scenario): KlingOrder {
  if (!isJsonObject(given)) throw refused(1200);
  const id = readText(field(given, "model_name")) ?? USUAL_MODELS[scenario];
  const model = findV1Model(id, scenario);
  if (model === undefined) throw refused(1203, `model_name value '${id}' is invalid`);

  const mode = readChoice(field(given, "mode"), ["std", "pro"]) ?? "std";
  const said = readText(field(given, "prompt"), MAX_PROMPT) ?? "";
  readText(field(given, "negative_prompt"), MAX_PROMPT);
  if (model.generation === 1) readNumber(field(given, "cfg_scale"), 0, 1);
  const seconds = readSeconds(given, model);
  const hasSound = readSound(given, model, mode);
  const shots = readShots(given, model, seconds);
  const prompt = said === "" ? shots : said;
  checkLists(given, model, id);
  checkCamera(given, model);
  if (prompt === "" && scenario !== "image2video") throw invalidValue("prompt", "cannot be empty");

  const seen =
    scenario === "omni-video"
      ? readOmni(given, prompt, hasSound)
      : readImages(given, scenario, model);
  const asked = readChoice(field(given, "aspect_ratio"), ASPECTS);
  return {
    ...readCommon(given),
    style: "v1",
    product: scenario,
    model: id,
    prompt,
    resolution: mode === "pro" ? "1080p" : "720p",
    aspect: seen.aspect ?? asked ?? "16:9",
    seconds,
    hasSound,
    hasReferences: seen.hasReferences,
  };
}

const MAX_PROMPT = 2_500;

/** A text here, though it is a number. */
function readSeconds(body: JsonObject, model: V1Model): number {
  const duration = readText(field(body, "duration")) ?? "5";
  const seconds = Number(duration);
  const { minSeconds, maxSeconds, anySeconds } = model;
  const isKnown = anySeconds
    ? Number.isInteger(seconds) && seconds >= minSeconds && seconds <= maxSeconds
    : seconds === 5 || seconds === 10;
  if (/^\d+$/.test(duration) && isKnown) return seconds;
  throw invalidValue("duration", `duration value '${duration}' is invalid`);
}

function readSound(body: JsonObject, { sound }: V1Model, mode: "std" | "pro"): boolean {
  const isOn = readChoice(field(body, "sound"), ["on", "off"]) === "on";
  if (isOn && (sound === "none" || (sound === "pro" && mode !== "pro")))
    throw invalidValue("sound", "is not supported by the current model and mode");
  return isOn;
}

function checkLists(body: JsonObject, model: V1Model, id: string): void {
  checkIds(body, "voice_list", "voice_id", id === "kling-v2-6" || model.generation === 3 ? 2 : 0);
  checkIds(body, "element_list", "element_id", model.generation === 3 ? MAX_ELEMENTS : 0);
}

const MAX_ELEMENTS = 3;

function checkIds(body: JsonObject, name: string, member: string, most: number): void {
  const { value } = field(body, name);
  if (value === undefined) return;
  const list = Array.isArray(value) ? value : undefined;
  if (list === undefined) throw invalidValue(name, "must be a list");
  if (list.length > 0 && most === 0)
    throw invalidValue(name, "is not supported by the current model");
  if (list.length > most) throw invalidValue(name, `at most ${most} are allowed`);
  const isOdd = (each: unknown) =>
    !isJsonObject(each) || !["string", "number"].includes(typeof each[member]);
  if (list.some(isOdd)) throw invalidValue(name, `each needs a ${member}`);
}
