import { isJsonObject, parseJson, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { refuseUnknown } from "../unknown-parameters.ts";
import { checkContentType } from "../routing.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { FormFile } from "@sluice/sandbox/wire/form.ts";

/** What a request says, in JSON or in the fields of a form. */
export interface VideoBody {
  readonly fields: JsonObject;
  file(name: string): FormFile | undefined;
}

export function readBody(request: VendorRequest, known: readonly string[]): VideoBody {
  const body = bodyOf(request);
  const files = fileNames(request).map((name) => [name, true] as const);
  refuseUnknown({ ...body.fields, ...Object.fromEntries(files) }, known);
  return body;
}

function bodyOf(request: VendorRequest): VideoBody {
  const { form, body, headers } = request;
  if (form !== undefined) {
    const files = form.parts.flatMap((part) => ("file" in part ? [part] : []));
    return {
      fields: fieldsOf(form.texts),
      file: (name) => files.find((part) => part.name === name)?.file,
    };
  }
  if (/^multipart\/form-data\b/i.test(headers["content-type"] ?? ""))
    throw invalid(null, null, "The form in the body of the request could not be parsed.");
  checkContentType(request);
  if (!isJsonObject(body))
    throw invalid(null, null, "The body of the request must be a JSON object.");
  return { fields: body, file: () => undefined };
}

function fileNames({ form }: VendorRequest): readonly string[] {
  return form?.parts.flatMap((part) => ("file" in part ? [part.name] : [])) ?? [];
}

/** A field such as `video[id]` is a member of an object; an object may also be written as JSON. */
function fieldsOf(texts: JsonObject): JsonObject {
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(texts)) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) fields[name] = objectIn(value);
    else {
      const before = fields[outer];
      fields[outer] = { ...(isJsonObject(before) ? before : {}), [inner]: value };
    }
  }
  return fields;
}

function objectIn(value: Json): Json {
  const read = typeof value === "string" && value.startsWith("{") ? parseJson(value) : undefined;
  return isJsonObject(read) ? read : value;
}
