import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { field, objectIn, required } from "../fields.ts";
import { formBody, namesIn, noForm } from "../form-body.ts";
import { refuseUnknown } from "../unknown-parameters.ts";
import { checkContentType } from "../routing.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { Form } from "@sluice/sandbox/wire/form.ts";
import { checkGiven, checkMask, MAX_GIVEN, reference, references, uploads } from "./given.ts";
import { OF_TOKENS_ONLY, USUAL_EDITOR, USUAL_MODEL } from "./models.ts";
import type { PictureModel } from "./models.ts";
import { readModel, readPrompt, readWishes, type PictureRequest } from "./request.ts";

const COMMON = ["model", "prompt", "n", "size", "user"];

/** Throws `ApiError` if the vendor refuses the request; so do the functions below. */
export function readGeneration(request: VendorRequest): PictureRequest {
  checkContentType(request);
  const body = objectIn(request.body);
  const isForTokens = OF_TOKENS_ONLY.some((name) => field(body, name).value !== undefined);
  const model = readModel(body, isForTokens ? USUAL_EDITOR : USUAL_MODEL, () => true);
  refuseUnknown(body, [...COMMON, ...model.fields]);
  const prompt = readPrompt(body, model);
  return { kind: "generation", model, prompt, given: [], ...readWishes(body, model, []) };
}

export function readEdit(request: VendorRequest): Promise<PictureRequest> {
  return request.form === undefined ? readJsonEdit(request) : readFormEdit(request.form);
}

async function readJsonEdit(request: VendorRequest): Promise<PictureRequest> {
  checkContentType(request);
  const body = objectIn(request.body);
  const model = readModel(body, USUAL_EDITOR, (each) => each.edits && each.isByTokens);
  const known = [
    ...COMMON,
    ...model.fields,
    "images",
    "mask",
    "input_fidelity",
    ...markupOf(model),
  ];
  refuseUnknown(body, known);
  const given = references(body);
  const { value } = field(body, "mask");
  const mask = value === undefined ? undefined : reference(value, "mask");
  const drawn = field(body, "markup").value;
  const markup = drawn === undefined ? undefined : reference(drawn, "markup");
  return checked({
    kind: "edit",
    model,
    prompt: readPrompt(body, model),
    given,
    ...(mask === undefined ? {} : { mask }),
    ...(markup === undefined ? {} : { markup }),
    ...readWishes(body, model, given),
  });
}

function markupOf({ isNewest }: PictureModel): readonly string[] {
  return isNewest ? ["markup"] : [];
}

async function readFormEdit(form: Form): Promise<PictureRequest> {
  const body = formBody(form, KINDS);
  const model = readModel(body, usualEditor(body), (each) => each.edits);
  const more = [...(model.isByTokens ? ["input_fidelity"] : []), ...markupOf(model)];
  // A question for less moderation is one of JSON bodies.
  const fields = model.fields.filter((name) => name !== "moderation");
  refuseUnknown(namesIn(form), [...COMMON, ...fields, ...more, "image", "mask"]);
  const given = readUploads(form, model.isByTokens ? MAX_GIVEN : 1);
  const [mask] = uploads(form, "mask");
  const [markup] = uploads(form, "markup");
  return checked({
    kind: "edit",
    model,
    prompt: readPrompt(body, model),
    given,
    ...(mask === undefined ? {} : { mask }),
    ...(markup === undefined ? {} : { markup }),
    ...readWishes(body, model, given),
  });
}

/** Later models are the usual ones, but what only the earliest knows is meant for it. */
function usualEditor(body: JsonObject): string {
  const isForEarliest =
    body["response_format"] !== undefined ||
    ["256x256", "512x512"].some((size) => size === body["size"]);
  return isForEarliest ? USUAL_MODEL : USUAL_EDITOR;
}

export async function readVariation({ form, headers }: VendorRequest): Promise<PictureRequest> {
  if (form === undefined) throw noForm(headers);
  const body = formBody(form, KINDS);
  const model = readModel(body, USUAL_MODEL, ({ id }) => id === USUAL_MODEL);
  refuseUnknown(namesIn(form), ["image", "model", "n", "response_format", "size", "user"]);
  const given = readUploads(form, 1);
  return checked({
    kind: "variation",
    model,
    prompt: "",
    given,
    ...readWishes(body, model, given),
  });
}

const KINDS = {
  n: "number",
  output_compression: "number",
  partial_images: "number",
  frame_count: "number",
  frame_duration_ms: "number",
  stream: "boolean",
} as const;

function readUploads(form: Form, most: number) {
  const given = uploads(form, "image");
  required({ path: "image", value: undefined }, given[0]);
  if (given.length <= most) return given;
  throw invalid(
    "image",
    "array_above_max_length",
    `Invalid 'image': array too long. Expected at most ${most} elements, but got ${given.length}.`,
  );
}

async function checked(request: PictureRequest): Promise<PictureRequest> {
  await checkGiven(request.given, request.model);
  if (request.mask !== undefined && request.markup !== undefined) {
    throw invalid("markup", "invalid_value", "'markup' cannot be combined with 'mask'.");
  }
  if (request.mask !== undefined) await checkMask(request.mask, request.given[0]);
  return request;
}
