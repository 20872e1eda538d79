import { readGiven } from "../engine/given-image.ts";
import { harmIn, KINDS, THRESHOLD, type HarmKind } from "../engine/harm.ts";
import { isJsonArray, type Json, type JsonObject } from "../json.ts";
import { invalid, noSuchModel, type ApiError } from "./error.ts";
import { field, objectIn, readChoice, readObject, readText, required } from "./fields.ts";
import { newId } from "./ids.ts";

interface Moderator {
  readonly id: string;
  /** The dated name that answers carry. */
  readonly snapshot: string;
  /** The earlier ones read texts alone, and know fewer kinds of harm. */
  readonly isOmni: boolean;
}

export const MODERATORS: readonly Moderator[] = [
  { id: "omni-moderation-latest", snapshot: "omni-moderation-latest", isOmni: true },
  { id: "omni-moderation-2024-09-26", snapshot: "omni-moderation-2024-09-26", isOmni: true },
  { id: "text-moderation-latest", snapshot: "text-moderation-007", isOmni: false },
  { id: "text-moderation-stable", snapshot: "text-moderation-007", isOmni: false },
];

const USUAL = "omni-moderation-latest";

/** https://platform.openai.com/docs/api-reference/moderations. Throws `ApiError` if it refuses. */
export function moderations(asked: Json | undefined): JsonObject {
  const body = objectIn(asked);
  const { snapshot, isOmni } = findModerator(readText(field(body, "model")) ?? USUAL);
  const results = readInput(body, isOmni).map((input) => resultOf(input, isOmni));
  return { id: newId("modr-", 29), model: snapshot, results };
}

function findModerator(id: string): Moderator {
  const found = MODERATORS.find((moderator) => moderator.id === id);
  if (found !== undefined) return found;
  throw noSuchModel(id);
}

/** The input of one result. */
interface Input {
  readonly text?: string;
  readonly hasImage: boolean;
}

const MAX_INPUTS = 2_048;

/** Texts are judged one by one, and the parts of a message together. */
function readInput(body: JsonObject, isOmni: boolean): readonly Input[] {
  const path = field(body, "input");
  const input = required(path, path.value);
  if (typeof input === "string") return [{ text: input, hasImage: false }];
  if (!isJsonArray(input) || input.length === 0 || input.length > MAX_INPUTS) throw badInput();
  const texts = input.filter((each) => typeof each === "string");
  if (texts.length === input.length) return texts.map((text) => ({ text, hasImage: false }));
  if (texts.length > 0) throw badInput();
  if (!isOmni)
    throw invalid("input", "invalid_type", "This model moderates texts, and nothing else.");
  const parts = input.map((part, index) => readPart(part, `input[${index}]`));
  if (parts.filter(({ hasImage }) => hasImage).length > 1)
    throw invalid("input", "too_many_images", "Only one image can be moderated at a time.");
  const said = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return [
    {
      ...(said.length === 0 ? {} : { text: said.join("\n") }),
      hasImage: parts.some(({ hasImage }) => hasImage),
    },
  ];
}

function readPart(value: Json, path: string): Input {
  const part = required({ path, value }, readObject({ path, value }));
  const type = field(part, "type", `${path}.type`);
  if (required(type, readChoice(type, ["text", "image_url"])) === "text") {
    const text = field(part, "text", `${path}.text`);
    return { text: required(text, readText(text)), hasImage: false };
  }
  const image = field(part, "image_url", `${path}.image_url`);
  const url = field(required(image, readObject(image)), "url", `${path}.image_url.url`);
  if (readGiven(required(url, readText(url)), /^https?:\/\/[^\s/]+/i) === undefined)
    throw invalid(url.path, "invalid_image_url", "The image could not be read.");
  return { hasImage: true };
}

function badInput(): ApiError {
  return invalid("input", null, "'$.input' is invalid. Please check the API reference.");
}

/** An image is judged for these, and only the text beside it for the others. */
const SEEN: readonly HarmKind[] = [
  "self-harm",
  "self-harm/instructions",
  "self-harm/intent",
  "sexual",
  "violence",
  "violence/graphic",
];

function resultOf({ text, hasImage }: Input, isOmni: boolean): JsonObject {
  const harm = harmIn(text ?? "");
  const known = isOmni ? KINDS : KINDS.filter((kind) => !kind.startsWith("illicit"));
  const forEach = (of: (kind: HarmKind) => Json): JsonObject =>
    Object.fromEntries(known.map((kind) => [kind, of(kind)]));
  const judgedBy = (kind: HarmKind) => [
    ...(text === undefined ? [] : ["text"]),
    ...(hasImage && SEEN.includes(kind) ? ["image"] : []),
  ];
  return {
    flagged: known.some((kind) => harm[kind] >= THRESHOLD),
    categories: forEach((kind) => harm[kind] >= THRESHOLD),
    category_scores: forEach((kind) => (judgedBy(kind).length === 0 ? 0 : harm[kind])),
    ...(isOmni ? { category_applied_input_types: forEach(judgedBy) } : {}),
  };
}
