import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import {
  picturesOf,
  promptOf,
  type Base64,
  type ImageRequest,
  type ImageTurn,
} from "#core/image.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  longTextOf,
  memberOf,
  numberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { readPicture } from "#styles/image/picture-in.ts";
import { KNOWN, KNOWN_WITHIN, MAX_PICTURES, REQUEST } from "./fields.ts";

/**
 * An image request with the members of any family; the upstream's endpoint knows which its model
 * supports.
 */
export function readQuestion(body: JsonObject): ImageRequest {
  validate(body, REQUEST);
  const turns = readTurns(body);
  const prompt = promptOf({ turns });
  const pictures = picturesOf({ turns });
  if (prompt.trim() === "" && pictures.length === 0) {
    throw invalid("prompt", "'prompt', 'contents' or 'input.messages' is required.");
  }
  if (pictures.length > MAX_PICTURES) {
    throw invalid("image", `A request may have at most ${MAX_PICTURES} images.`);
  }
  const mask = longTextOf(body["mask"]);
  const markup = longTextOf(body["markup"]);
  if (mask !== undefined && pictures.length === 0) {
    throw invalid("mask", "'mask' requires an image.");
  }
  if (markup !== undefined && pictures.length === 0) {
    throw invalid("markup", "'markup' requires an image.");
  }
  return {
    model: textOf(body["model"]) ?? "",
    task: pictures.length === 0 ? "generate" : "edit",
    turns,
    stream: body["stream"] === true,
    ...readWishes(body),
    ...(mask !== undefined && { mask: readPicture(mask, "mask") }),
    ...(markup !== undefined && { markup: readPicture(markup, "markup") }),
  };
}

/** All options except the images and the prompt. */
export function readWishes(
  body: JsonObject,
): Omit<ImageRequest, "model" | "task" | "turns" | "stream"> {
  const parameters = objectOf(body["parameters"]) ?? {};
  const own = (name: string): Json | undefined => parameters[name] ?? body[name];
  const { response_format: delivery, output_format: format, mime_type: type } = body;
  return defined({
    count: integerOf(own("n")) ?? integerOf(body["sample_count"]),
    delivery:
      delivery === undefined || delivery === null ? undefined : DELIVERIES.get(textOf(delivery)),
    size: textOf(own("size")),
    aspectRatio: textOf(body["aspect_ratio"]),
    resolution: textOf(body["image_size"]),
    quality: textOf(body["quality"]),
    style: textOf(body["style"]),
    background: textOf(body["background"]),
    moderation: textOf(body["moderation"]),
    format: textOf(format) ?? textOf(type)?.replace("image/", ""),
    compression: integerOf(body["output_compression"]),
    fidelity: textOf(body["input_fidelity"]),
    guidance: numberOf(body["guidance_scale"]),
    negativePrompt: textOf(own("negative_prompt")),
    seed: integerOf(own("seed")),
    watermark: flagOf(own("watermark")),
    rewrite: flagOf(own("prompt_extend")),
    rewriteMode: textOf(memberOf(body["optimize_prompt_options"], "mode")),
    series: readSeries(body),
    people: textOf(body["person_generation"]),
    maxOutputTokens:
      integerOf(body["max_output_tokens"]) ??
      integerOf(body["max_tokens"]) ??
      integerOf(body["maxOutputTokens"]),
    temperature: numberOf(body["temperature"]),
    topP: numberOf(body["top_p"]),
    withText: body["response_modalities"] === "image-text" ? true : undefined,
    partials: integerOf(body["partial_images"]),
    user: textOf(body["user"]),
    extra: restOf(body, UNTYPED),
    unread: unreadIn(body),
  });
}

/**
 * Known members that have no typed field in the request and stay among the vendor-specific ones.
 */
const UNTYPED: ReadonlySet<string> = new Set(
  [...KNOWN].filter((name) => !["complexity", "frame_count", "frame_duration_ms"].includes(name)),
);

function unreadIn(body: JsonObject): readonly string[] | undefined {
  const paths = [...KNOWN_WITHIN].flatMap(([name, known]) => {
    const rest = restOf(objectOf(body[name]) ?? {}, known) ?? {};
    return Object.keys(rest).map((member) => `${name}.${member}`);
  });
  return paths.length === 0 ? undefined : paths;
}

const DELIVERIES: ReadonlyMap<string | undefined, "url" | "base64"> = new Map([
  ["url", "url"],
  ["b64_json", "base64"],
]);

function readSeries(body: JsonObject): ImageRequest["series"] {
  const mode = body["sequential_image_generation"];
  const max = integerOf(memberOf(body["sequential_image_generation_options"], "max_images"));
  if (mode === "auto") return { mode, ...defined({ max }) };
  if (max !== undefined) {
    const param = "sequential_image_generation_options";
    throw invalid(param, `'${param}' needs 'sequential_image_generation' to be 'auto'.`);
  }
  return mode === "disabled" ? { mode } : undefined;
}

/** Earlier turns first, then images, then the prompt. */
function readTurns(body: JsonObject): readonly ImageTurn[] {
  const contents = listOf(body["contents"]).filter(isObject);
  const messages = listOf(memberOf(body["input"], "messages")).filter(isObject);
  const given = [...pictureTexts(body["image"]), ...pictureTexts(body["images"])];
  const prompt = textOf(body["prompt"]) ?? "";
  const last = [
    ...given.map((each) => readPicture(each, "image")),
    ...(prompt === "" ? [] : [prompt]),
  ];
  return [
    ...contents.map((each) => readTurn(each["role"], each["parts"], "contents")),
    ...messages.map((each) => readTurn(each["role"], each["content"], "input.messages")),
    ...(last.length === 0 ? [] : [{ role: "user" as const, parts: last }]),
  ];
}

function readTurn(role: Json | undefined, parts: Json | undefined, param: string): ImageTurn {
  return {
    role: role === "model" || role === "assistant" ? "model" : "user",
    parts: listOf(parts).flatMap((part) => {
      const image = longTextOf(memberOf(part, "image"));
      const text = textOf(memberOf(part, "text")) ?? "";
      return [
        ...(image === undefined ? [] : [readPicture(image, param)]),
        ...(text === "" ? [] : [text]),
      ];
    }),
  };
}

function pictureTexts(value: Json | undefined): readonly Base64[] {
  const given = isArray(value) ? value : [value];
  return given.map(longTextOf).filter((each) => each !== undefined);
}
