import { inspectMedia } from "@sluice/sandbox/engine/media.ts";
import { isJsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { field, readChoice, readText, required } from "../fields.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import { readBody, type VideoBody } from "./body.ts";
import { SIZES, sizesOf, VIDEO_MODELS, type Size } from "./models.ts";
import { checkReference } from "./reference.ts";

/** A video as it was ordered. */
export interface SoraOrder {
  readonly model: string;
  readonly prompt: string;
  /** Of the whole, where it goes on with another. */
  readonly seconds: number;
  readonly size: Size;
  readonly remixedFrom: string | undefined;
}

export function readCreation(request: VendorRequest): SoraOrder {
  const body = readBody(request, ["model", "prompt", "seconds", "size", "input_reference"]);
  const ids = VIDEO_MODELS.map(({ id }) => id);
  const model = readChoice(field(body.fields, "model"), ids) ?? "sora-2";
  const size = readChoice(field(body.fields, "size"), SIZES) ?? USUAL_SIZE;
  if (!sizesOf(model).includes(size)) {
    const list = sizesOf(model).map((each) => `'${each}'`);
    throw invalid(
      "size",
      "invalid_value",
      `Invalid value: '${size}'. Supported values for ${model} are: ${list.join(", ")}.`,
    );
  }
  checkReference(body, size);
  const seconds = readChoice(field(body.fields, "seconds"), SECONDS) ?? "4";
  return {
    model,
    prompt: readPrompt(body),
    seconds: Number(seconds),
    size,
    remixedFrom: undefined,
  };
}

const USUAL_SIZE: Size = "720x1280";
const SECONDS = ["4", "8", "12"] as const;

/** The same again, but for the words. */
export function readRemix(request: VendorRequest, id: string, source: SoraOrder): SoraOrder {
  const prompt = readPrompt(readBody(request, ["prompt"]));
  return { ...source, prompt, remixedFrom: id };
}

/** How a video is found that was made here, and has become one. */
type FindVideo = (id: string) => SoraOrder;

export function readEdit(request: VendorRequest, find: FindVideo): SoraOrder {
  const body = readBody(request, ["prompt", "video"]);
  const source = readSource(body, find);
  return { ...source, prompt: readPrompt(body), remixedFrom: undefined };
}

export function readExtension(request: VendorRequest, find: FindVideo): SoraOrder {
  const body = readBody(request, ["prompt", "video", "seconds"]);
  const source = readSource(body, find);
  const said = field(body.fields, "seconds");
  const more = Number(required(said, readChoice(said, [...SECONDS, "16", "20"])));
  const seconds = source.seconds + more;
  return { ...source, prompt: readPrompt(body), seconds, remixedFrom: undefined };
}

/** Of a video that was uploaded nothing is known but that it is one. */
function readSource({ fields, file }: VideoBody, find: FindVideo): SoraOrder {
  const upload = file("video");
  if (upload !== undefined) {
    checkVideo(upload.bytes);
    return { model: "sora-2", prompt: "", seconds: 4, size: USUAL_SIZE, remixedFrom: undefined };
  }
  const video = field(fields, "video");
  if (video.value !== undefined && !isJsonObject(video.value))
    throw invalid("video", "invalid_type", "'video' must be a file or an object with an id.");
  const id = field(required(video, video.value), "id", "video.id");
  return find(required(id, readText(id)));
}

/** Somebody who shall be seen in videos to come. */
export function readCharacter(request: VendorRequest): string {
  const { fields, file } = readBody(request, ["name", "video"]);
  const name = required(field(fields, "name"), readText(field(fields, "name"), 80) || undefined);
  checkVideo(required(field(fields, "video"), file("video")).bytes);
  return name;
}

function checkVideo(bytes: Uint8Array): void {
  if (inspectMedia("video", bytes).mediaType === "video/mp4") return;
  throw invalid("video", "unsupported_file_type", "Invalid file: expected a video in MP4.");
}

function readPrompt({ fields }: VideoBody): string {
  const prompt = required(field(fields, "prompt"), readText(field(fields, "prompt"), 32_000));
  if (prompt !== "") return prompt;
  throw invalid(
    "prompt",
    "string_below_min_length",
    "Invalid 'prompt': string too short. Expected at least 1 character, but got 0.",
  );
}
