import { invalid } from "#core/error.ts";
import { holdToRule } from "#core/hold-to-rule.ts";
import type { ImageQuestion, Picture } from "#core/image.ts";
import type { Form, FormFile } from "#lib/form.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { either, list, object, text, type ObjectRule } from "#lib/rules.ts";
import { defined, listOf, memberOf, textOf } from "#lib/values.ts";
import { MAX_PICTURES, REQUEST } from "#styles/image/gateway/fields.ts";
import { readWishes } from "#styles/image/gateway/read-question.ts";
import { readPicture } from "#styles/image/picture-in.ts";

const LINK = text({ minLength: 1, doc: "A link, or a data URI." });
const GIVEN = either(LINK, object({ image_url: LINK, file_id: text({ minLength: 1 }) }));

/** Where a body is JSON. As a form, `image` or `image[]` and `mask` are files. */
export const EDIT_REQUEST: ObjectRule = {
  ...REQUEST,
  members: new Map([
    ...REQUEST.members,
    ["prompt", text({ minLength: 1 })],
    ["image", either(LINK, list(LINK, MAX_PICTURES, 1))],
    ["images", list(GIVEN, MAX_PICTURES, 1)],
    ["mask", GIVEN],
  ]),
};

/** Pictures to be changed as words say. */
export function readEdit(body: JsonObject): ImageQuestion {
  holdToRule(body, EDIT_REQUEST);
  const { image } = body;
  const pictures = [...(isArray(image) ? image : [image]), ...listOf(body["images"])].flatMap(
    (each) => readGiven(each, "image") ?? [],
  );
  return question(body, "edit", pictures, readGiven(body["mask"], "mask"));
}

export function readEditForm(form: Form): ImageQuestion {
  const body = readFields(form);
  const [mask] = filesOf(form, ["mask"]);
  return question(body, "edit", filesOf(form, ["image", "image[]"]), mask);
}

/** Other versions of a picture. */
export function readVariationForm(form: Form): ImageQuestion {
  return question(readFields(form), "vary", filesOf(form, ["image"]).slice(0, 1), undefined);
}

function question(
  body: JsonObject,
  task: "edit" | "vary",
  pictures: readonly Picture[],
  mask: Picture | undefined,
): ImageQuestion {
  const prompt = textOf(body["prompt"]) ?? "";
  if (pictures.length === 0) throw invalid("image", "'image' is required.");
  if (pictures.length > MAX_PICTURES) {
    throw invalid("image", `'image' may be given ${MAX_PICTURES} times, not more.`);
  }
  if (task === "edit" && prompt === "") throw invalid("prompt", "'prompt' is required.");
  return {
    model: textOf(body["model"]) ?? "",
    task,
    turns: [{ role: "user", parts: [...pictures, ...(prompt === "" ? [] : [prompt])] }],
    stream: body["stream"] === true,
    ...readWishes(body),
    ...defined({ mask }),
  };
}

function readGiven(value: Json | undefined, param: string): Picture | undefined {
  const link = textOf(value) ?? textOf(memberOf(value, "image_url"));
  if (link !== undefined) return readPicture(link, param);
  const id = textOf(memberOf(value, "file_id"));
  return id === undefined ? undefined : { kind: "reference", id };
}

/** A form says everything as text; what is a number or a flag in JSON is read as such. */
function readFields(form: Form): JsonObject {
  const fields: Record<string, Json> = {};
  for (const part of form.parts) {
    if (!("value" in part)) continue;
    const rule = REQUEST.members.get(part.name);
    const { name, value } = part;
    if (rule?.is === "integer" || rule?.is === "number") fields[name] = numberIn(value);
    else if (rule?.is === "flag") fields[name] = value === "true" || value === "1";
    else fields[name] = value;
  }
  holdToRule(fields, REQUEST);
  return fields;
}

/** What is no number is refused as the text that it is. */
function numberIn(value: string): Json {
  const found = Number(value);
  return value.trim() === "" || Number.isNaN(found) ? value : found;
}

function filesOf(form: Form, names: readonly string[]): readonly Picture[] {
  const isWanted = (part: Form["parts"][number]): part is FormFile =>
    "bytes" in part && names.includes(part.name);
  return form.parts
    .filter(isWanted)
    .map(({ bytes, mediaType }) => ({ kind: "bytes", bytes, mediaType }));
}
