import { parseJson, type Json, type JsonObject } from "../json.ts";
import type { VendorRequest } from "../vendor.ts";
import type { Form, FormFile } from "../wire/form.ts";
import { invalid, type ApiError } from "./error.ts";

/**
 * The fields of a form as the JSON that they stand for: a name with brackets
 * is a list. What is no number or truth stays a text, for the reader to refuse.
 */
export function formBody(
  { parts }: Form,
  kinds: Readonly<Record<string, "number" | "boolean" | "json">>,
): JsonObject {
  const body: Record<string, Json> = {};
  for (const part of parts) {
    if (!("text" in part)) continue;
    const name = withoutBrackets(part.name);
    const value = valueOf(part.text, kinds[name]);
    const before = Object.hasOwn(body, name) ? body[name] : [];
    body[name] = name === part.name ? value : [...(Array.isArray(before) ? before : []), value];
  }
  return body;
}

/** The files under a name, with brackets or without. */
export function filesNamed({ parts }: Form, name: string): readonly FormFile[] {
  return parts.flatMap((part) =>
    "file" in part && withoutBrackets(part.name) === name ? [part.file] : [],
  );
}

/** Every name in a form, without brackets. */
export function namesIn({ parts }: Form): readonly string[] {
  return parts.map(({ name }) => withoutBrackets(name));
}

/** The error where there is no form, or a broken one. */
export function noForm(headers: VendorRequest["headers"]): ApiError {
  const type = headers["content-type"] ?? "";
  return /^multipart\/form-data\b/i.test(type)
    ? invalid(null, null, "Could not parse multipart form")
    : invalid(
        null,
        "unsupported_content_type",
        `Unsupported content type: '${type}'. This endpoint needs 'multipart/form-data'.`,
      );
}

function withoutBrackets(name: string): string {
  return name.replace(/\[\d*\]$/, "");
}

function valueOf(text: string, kind: "number" | "boolean" | "json" | undefined): Json {
  if (kind === "number" && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (kind === "boolean" && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (kind === "json" && text.startsWith("{")) return parseJson(text) ?? text;
  return text;
}
