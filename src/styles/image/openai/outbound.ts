import assert from "node:assert/strict";
import { invalid } from "#core/error.ts";
import {
  fileOf,
  linkOf,
  picturesOf,
  promptOf,
  type ImageRequest,
  type Picture,
} from "#core/image.ts";
import { refuse } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import { Form, type FormPart, type SentForm, type SentPart } from "#lib/form.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { ImageDialect } from "./dialect.ts";
import { wishesIn } from "./options.ts";

/** JSON, or a form with files if the request has images. */
export function build(
  question: ImageRequest,
  { report, dialect: own }: OutboundContext,
): JsonObject | SentForm {
  const dialect: ImageDialect = { ...own };
  const { model, mask, markup, turns } = question;
  const prompt = promptOf(question);
  const given = picturesOf(question);
  checkGiven(question, given.length, prompt, dialect);
  if (turns.some(({ role }) => role === "model")) report.lose("contents");
  const members = {
    model,
    ...(prompt !== "" && { prompt }),
    ...wishesIn(question, dialect, report),
  };
  if (given.length === 0) return members;

  if ([...given, mask, markup].some((each) => each?.kind === "reference")) {
    if (dialect.keepsFiles !== true) throw refuse("file_id", "this upstream stores no files.");
    return {
      ...members,
      images: given.map(named),
      ...(mask && { mask: named(mask) }),
      ...(markup && { markup: named(markup) }),
    };
  }
  const name = given.length === 1 ? "image" : "image[]";
  return new Form<SentPart>([
    ...Object.entries(members).flatMap((each) => toFields(each, dialect)),
    ...given.map((picture, at) => toFile(name, `image-${at + 1}`, picture)),
    ...(mask === undefined ? [] : [toFile("mask", "mask", mask)]),
    ...(markup === undefined ? [] : [toFile("markup", "markup", markup)]),
  ]);
}

function checkGiven(
  { task, mask, markup }: ImageRequest,
  given: number,
  prompt: string,
  { takes, maxPictures = given, needsPrompt }: ImageDialect,
): void {
  if (given > maxPictures) {
    const most = maxPictures === 0 ? "no pictures" : `${maxPictures} at the most`;
    throw invalid("image", `'image' holds ${given}; this model takes ${most}.`);
  }
  if (prompt === "" && needsPrompt && task !== "vary") {
    throw invalid("prompt", "'prompt' is required for an edit.");
  }
  if (mask !== undefined && takes !== undefined && !takes.includes("mask")) {
    throw invalid("mask", "'mask' is not supported by this model.");
  }
  if (markup !== undefined && takes !== undefined && !takes.includes("markup")) {
    throw invalid("markup", "'markup' is not supported by this model.");
  }
}

function named(picture: Picture): JsonObject {
  if (picture.kind === "reference") return { file_id: picture.id };
  return { image_url: linkOf(picture) ?? "" };
}

function toFields([name, value]: [string, Json], dialect: ImageDialect): readonly FormPart[] {
  if (dialect.nestsFields !== true || !isObject(value))
    return [{ name, value: textOf(value) ?? JSON.stringify(value) }];
  return Object.entries(value).flatMap(([member, each]) =>
    each === undefined ? [] : toFields([`${name}[${member}]`, each], dialect),
  );
}

/** Servers use the extension of a file name as much as its media type. */
function toFile(name: string, title: string, picture: Picture): SentPart {
  assert(picture.kind === "bytes" || picture.kind === "base64", "A form holds pictures, no links.");
  const { mediaType } = picture;
  const end = mediaType.slice(mediaType.indexOf("/") + 1).replace("jpeg", "jpg");
  return { name, filename: `${title}.${end}`, mediaType, ...fileOf(picture) };
}
