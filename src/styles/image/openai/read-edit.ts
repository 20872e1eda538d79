import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { ImageRequest, Picture } from "#core/image.ts";
import type { Form } from "#lib/form.ts";
import { isArray, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { either, list, object, text, type ObjectRule } from "#lib/rules.ts";
import { defined, listOf, longTextOf, memberOf, textOf } from "#lib/values.ts";
import { MAX_PICTURES, REQUEST } from "#styles/image/gateway/fields.ts";
import { readWishes } from "#styles/image/gateway/read-question.ts";
import { readPicture } from "#styles/image/picture-in.ts";

const LINK = text({ minLength: 1, doc: "A link, or a data URI." });
const GIVEN = either(LINK, object({ image_url: LINK, file_id: text({ minLength: 1 }) }));

/** For JSON bodies. In a form, `image` or `image[]` and `mask` are files. */
export const EDIT_REQUEST: ObjectRule = {
  ...REQUEST,
  members: new Map([
    ...REQUEST.members,
    ["prompt", text({ minLength: 1 })],
    ["image", either(LINK, list(LINK, MAX_PICTURES, 1))],
    ["images", list(GIVEN, MAX_PICTURES, 1)],
    ["mask", GIVEN],
    ["markup", GIVEN],
  ]),
};

/** Image edits by a prompt. */
export function readEdit(body: JsonObject): ImageRequest {
  validate(body, EDIT_REQUEST);
  const { image, images, mask, markup, ...fields } = body;
  const given = [
    ...(isArray(image) ? image : [image ?? null]).map((each) => readGiven(each, "image")),
    ...listOf(images).map((each, at) => readGiven(each, `images[${at}]`)),
  ];
  const pictures = given.filter((each) => each !== undefined);
  return question(fields, "edit", pictures, {
    mask: readGiven(mask ?? null, "mask"),
    markup: readGiven(markup ?? null, "markup"),
  });
}

export function readEditForm(form: Form): ImageRequest {
  const [mask] = picturesIn(form, MASK);
  const [markup] = picturesIn(form, MARKUP);
  return question(fieldsIn(form), "edit", picturesIn(form, IMAGE), { mask, markup });
}

/** Variations of an image. */
export function readVariationForm(form: Form): ImageRequest {
  return question(fieldsIn(form), "vary", picturesIn(form, IMAGE).slice(0, 1), {});
}

function question(
  body: JsonObject,
  task: "edit" | "vary",
  pictures: readonly Picture[],
  over: { readonly mask?: Picture | undefined; readonly markup?: Picture | undefined },
): ImageRequest {
  const prompt = textOf(body["prompt"]) ?? "";
  if (pictures.length === 0) throw invalid("image", "'image' is required.");
  if (pictures.length > MAX_PICTURES) {
    throw invalid("image", `'image' may occur at most ${MAX_PICTURES} times.`);
  }
  if (task === "edit" && prompt === "") throw invalid("prompt", "'prompt' is required.");
  return {
    model: textOf(body["model"]) ?? "",
    task,
    turns: [{ role: "user", parts: [...pictures, ...(prompt === "" ? [] : [prompt])] }],
    stream: body["stream"] === true,
    ...readWishes(body),
    ...defined(over),
  };
}

function readGiven(value: Json, param: string): Picture | undefined {
  if (value === null) return undefined;
  const link = longTextOf(value) ?? longTextOf(memberOf(value, "image_url"));
  if (link !== undefined) return readPicture(link, param);
  const id = textOf(memberOf(value, "file_id"));
  if (id !== undefined) return { kind: "reference", id };
  throw invalid(param, `'${param}' must have 'image_url' or 'file_id'.`);
}

/** `image`, `image[]`, and `image[0]`, as some clients write lists. */
const IMAGE = /^images?(\[\d*\])?$/;
const MASK = /^mask$/;
const MARKUP = /^markup$/;

/** A file, or a value that a JSON body may contain. */
function picturesIn(form: Form, name: RegExp): readonly Picture[] {
  return form.parts.flatMap((part): readonly Picture[] => {
    if (!name.test(part.name)) return [];
    if ("value" in part) return part.value === "" ? [] : [readPicture(part.value, part.name)];
    return [{ kind: "bytes", bytes: part.bytes, mediaType: part.mediaType }];
  });
}

/** A form has text values only; they are converted to the types of the schema. */
function fieldsIn(form: Form): JsonObject {
  const fields: Record<string, Json> = {};
  for (const part of form.parts) {
    const { name } = part;
    if (IMAGE.test(name) || MASK.test(name) || MARKUP.test(name) || !("value" in part)) continue;
    // Form clients send an empty field in place of an unset one.
    if (part.value === "") continue;
    if (Object.hasOwn(fields, name)) throw invalid(name, `'${name}' occurs twice in the form.`);
    fields[name] = valueOf(part.value, REQUEST.members.get(name)?.is);
  }
  validate(fields, REQUEST);
  return fields;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["0", false],
  ["True", true],
  ["False", false],
]);

/** An invalid value stays text, which the schema refuses. */
function valueOf(value: string, kind: string | undefined): Json {
  if (kind === undefined || kind === "text") return value;
  return (kind === "flag" ? FLAGS.get(value) : undefined) ?? parseJson(value) ?? value;
}
