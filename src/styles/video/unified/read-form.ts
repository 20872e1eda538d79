import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Form, FormFile } from "#lib/form.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import type { Rule } from "#lib/rules.ts";
import { FIELDS, REQUEST } from "./fields.ts";
import { namesIn } from "./names-in.ts";
import { readQuestion } from "./read-question.ts";

/** The same as a form, with images and videos as files. */
export function readForm(form: Form, id: string): VideoRequest {
  const fields: Record<string, Json> = {};
  const files: VideoMedia[] = [];
  for (const part of form.parts) {
    if (part.name.startsWith("__proto__")) continue;
    if ("bytes" in part) files.push(readFile(part));
    else addTo(fields, part.name, part.value);
  }
  return readQuestion(fields, id, files);
}

/** The client's form name of a field, by each name that a refusal may use for it. */
export function namesInForm(form: Form): Readonly<Record<string, string>> {
  const fields: Record<string, Json> = {};
  for (const part of form.parts) {
    if (part.name.startsWith("__proto__")) continue;
    if ("bytes" in part) fields[part.name] = true;
    else addTo(fields, part.name, part.value);
  }
  return namesIn(fields);
}

/** Field names that may contain a file. */
const FILE_NAMES: ReadonlySet<string> = new Set(
  [FIELDS.inputReference, FIELDS.image, FIELDS.images].flatMap(({ names }) => names),
);

function readFile({ name, mediaType, bytes }: FormFile): VideoMedia {
  if (!FILE_NAMES.has(name)) {
    throw invalid(name, `'${name}' must not be a file: send files as 'input_reference'.`);
  }
  const source = { kind: "bytes", bytes, mediaType } as const;
  return mediaType.startsWith("video/")
    ? { type: "video", role: "base", source }
    : { type: "image", role: "first_frame", source };
}

/** `input_reference[image_url]`: the form notation of an object member. */
const INNER = /^([a-z_]{1,32})\[([a-z_]{1,32})\]$/;

function addTo(fields: Record<string, Json>, name: string, text: string): void {
  const [, outer = "", inner = ""] = INNER.exec(name) ?? [];
  if (outer !== "") {
    const known = fields[outer];
    fields[outer] = { ...(isObject(known) ? known : {}), [inner]: text };
    return;
  }
  const value = valueOf(text, REQUEST.members.get(name));
  const known = fields[name];
  if (known === undefined) fields[name] = value;
  else if (isArray(known)) fields[name] = [...known, value];
  else fields[name] = [known, value];
}

/** A form has text values only; numbers, flags and objects are parsed as in JSON. */
function valueOf(text: string, rule: Rule | undefined): Json {
  switch (rule?.is) {
    case "integer":
    case "number": {
      const number = Number(text);
      return text.trim() === "" || Number.isNaN(number) ? text : number;
    }
    case "flag":
      return FLAGS.get(text.toLowerCase()) ?? text;
    case "object":
    case "list":
    case "either":
      return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text;
    default:
      return text;
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
