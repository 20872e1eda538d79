import { fileOf } from "#core/image.ts";
import { invalid } from "#core/error.ts";
import { refuse } from "#core/lossy.ts";
import type { TaskFacts, VideoContext, VideoMedia, VideoRequest } from "#core/video.ts";
import { Form, type SentForm, type SentPart } from "#lib/form.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { checkPrompt, within } from "#styles/video/allowed.ts";
import { extrasFor } from "#styles/video/extras.ts";
import { loseAllBut } from "#styles/video/unsaid.ts";
import type { VideoDialect } from "./dialect.ts";
import { sizeOf } from "./size.ts";

export const ID = "video-openai";

const MAX_PROMPT_CHARS = 32_000;
const REFERENCE = "input_reference";
/** The vendor requires a prompt, but clients may leave it out. */
const WORDLESS = "A short video.";

/** JSON, or a form if an image is sent as a file. */
export function build(
  question: VideoRequest,
  { report, dialect: own }: VideoContext,
): JsonObject | SentForm {
  const dialect: VideoDialect = { ...own };
  const isRemix = question.scenario === "remix";
  const { members, rest } = extrasFor(question, ID, [], !isRemix && dialect.isOpen);
  const { prompt: words = "", model } = question;
  const prompt = words.trim() === "" && !isRemix ? WORDLESS : words;
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired: true });
  loseAllBut([], rest, ID, report);
  if (isRemix) {
    for (const name of unsaidOfRemix(question)) report.lose(name);
    return remixOf(question, dialect);
  }

  const seconds = lengthOf(question, dialect) ?? dialect.usualLength;
  const size = sizeOf(question, dialect) ?? dialect.usualSize;
  const wishes: JsonObject = {
    ...members,
    model,
    prompt,
    ...defined({ seconds: seconds?.toString(), size }),
  };
  const given = onlyOne(question.media);
  if (given === undefined) return wishes;
  const { source } = given;
  switch (source.kind) {
    case "url":
      return { ...wishes, [REFERENCE]: { image_url: source.url } };
    case "reference":
      if (dialect.keepsFiles !== true) throw unreachable();
      return { ...wishes, [REFERENCE]: { file_id: source.id } };
    case "asset":
      throw unreachable();
    case "base64":
    case "bytes": {
      const { type } = given;
      const mediaType = source.mediaType || USUAL[type];
      return new Form<SentPart>([
        ...Object.entries(wishes).flatMap(toField),
        toFile(mediaType, fileOf(source)),
      ]);
    }
  }
}

/** The defaults of its models. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  // A remix has the length and size of its source.
  if (question.scenario === "remix") return {};
  const { usualLength, usualSize, ...dialect }: VideoDialect = { ...own };
  return defined({
    seconds: lengthOf(question, dialect) ?? usualLength,
    size: sizeOf(question, dialect) ?? usualSize,
  });
}

/** A remix can change the prompt only. */
function remixOf({ prompt = "", media }: VideoRequest, { remakes }: VideoDialect): JsonObject {
  if (remakes !== true) throw refuse("video_id", "the upstream of this model cannot remix videos.");
  const [first] = media;
  if (first !== undefined) {
    throw invalid(REFERENCE, `'${REFERENCE}' cannot be combined with a remix.`);
  }
  return { prompt };
}

function unsaidOfRemix({ seconds, size, resolution, ratio, frames }: VideoRequest) {
  return Object.keys(defined({ duration: seconds, size, resolution, ratio, frames }));
}

function lengthOf(
  { seconds, frames }: VideoRequest,
  { lengths }: VideoDialect,
): number | undefined {
  if (frames !== undefined && seconds === undefined) {
    throw invalid("frames", "'frames' is not supported by this model: use 'seconds'.");
  }
  return seconds === undefined ? undefined : within(seconds, lengths);
}

function onlyOne(media: readonly VideoMedia[]): VideoMedia | undefined {
  const [first, another] = media;
  if (another !== undefined) {
    throw invalid(REFERENCE, `'${REFERENCE}' must be one image for this model.`);
  }
  if (first?.type === "audio" || first?.role === "last_frame") {
    throw invalid(REFERENCE, `'${REFERENCE}' must be an image or a video.`);
  }
  if (first?.type === "video" && first.source.kind === "url") {
    throw invalid(REFERENCE, `'${REFERENCE}' must be an image if it is a link.`);
  }
  return first;
}

function unreachable(): Error {
  return refuse(REFERENCE, "it can be used only with the vendor that stores it.");
}

const USUAL = { image: "image/png", video: "video/mp4", audio: "audio/mpeg" } as const;

function toField([name, value]: [string, Json | undefined]) {
  if (value === undefined) return [];
  return [{ name, value: typeof value === "string" ? value : JSON.stringify(value) }];
}

/** Servers use the extension of a file name as much as its media type. */
function toFile(mediaType: string, file: ReturnType<typeof fileOf>): SentPart {
  const end = mediaType.slice(mediaType.indexOf("/") + 1).replace("jpeg", "jpg");
  return { name: REFERENCE, filename: `reference.${end}`, mediaType, ...file };
}
