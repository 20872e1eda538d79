import type { JsonObject } from "../json.ts";

/** A body of `multipart/form-data`, read to its end. */
export interface Form {
  /** The fields that are no files, by name; the last one where a name comes twice. */
  readonly texts: JsonObject;
  readonly parts: readonly FormPart[];
}

export type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: FormFile };

/** What kind of file it is, its content tells. */
export interface FormFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** `undefined` where the body is no form, or a broken one. */
export async function readForm(
  bytes: Uint8Array,
  contentType: string | undefined,
): Promise<Form | undefined> {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType)) return undefined;
  const parts: FormPart[] = [];
  try {
    const body = new Response(bytes, { headers: { "content-type": contentType } });
    for (const [name, value] of (await body.formData()).entries()) {
      if (typeof value === "string") parts.push({ name, text: value });
      else {
        parts.push({ name, file: { name: value.name, bytes: await value.bytes() } });
      }
    }
  } catch {
    return undefined;
  }
  const texts = parts.flatMap((part) => ("text" in part ? [[part.name, part.text]] : []));
  return { texts: Object.fromEntries(texts), parts };
}
