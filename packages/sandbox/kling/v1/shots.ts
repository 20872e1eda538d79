import { invalidValue } from "../error.ts";
import { isJsonObject, jsonText, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readBoolean,
  readChoice,
  readList,
  readText,
  required,
} from "@sluice/sandbox/openai/fields.ts";
import type { V1Model } from "./models.ts";

/** The words of several shots, each with a length of its own, which together are the whole. */
export function readShots(body: JsonObject, { generation }: V1Model, seconds: number): string {
  const isMulti = readBoolean(field(body, "multi_shot")) ?? false;
  if (!isMulti) return "";
  if (generation !== 3) throw invalidValue("multi_shot", "is not supported by the current model");
  const type = field(body, "shot_type");
  if (required(type, readChoice(type, ["customize", "intelligence"])) === "intelligence") return "";
  const shots = readList(field(body, "multi_prompt"), 1, MAX_SHOTS) ?? [];
  if (shots.length === 0) throw invalidValue("multi_prompt", "cannot be empty");
  const read = shots.map((shot, index) => readShot(shot, index));
  const total = read.reduce((sum, { duration }) => sum + duration, 0);
  if (total !== seconds)
    throw invalidValue(
      "multi_prompt",
      `durations sum up to ${total}, but the duration is ${seconds}`,
    );
  return read.map(({ words }) => words).join("\n");
}

const MAX_SHOTS = 6;

function readShot(shot: Json, at: number) {
  const path = `multi_prompt[${at}]`;
  if (!isJsonObject(shot)) throw invalidValue(path, "must be an object");
  if (shot["index"] !== at + 1) throw invalidValue(`${path}.index`, `must be ${at + 1}`);
  const prompt = field(shot, "prompt", `${path}.prompt`);
  const words = required(prompt, readText(prompt, 512));
  const duration = Number(jsonText(shot["duration"]));
  if (Number.isInteger(duration) && duration >= 1) return { words, duration };
  throw invalidValue(`${path}.duration`, "must be a whole number of seconds");
}
