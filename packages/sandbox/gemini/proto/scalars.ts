import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { rejectBase64, rejectName, rejectValue, type Place } from "./place.ts";

/**
 * Reads a value as the vendor's parser of protocol buffers does: what it is, or
 * nothing and a note of what is wrong with it. Null never comes here: for a
 * field it means absence.
 */
export type Reader<Value> = (value: Json, place: Place) => Value | undefined;

export const text: Reader<string> = scalar("TYPE_STRING", (value) =>
  typeof value === "string" ? value : undefined,
);

export const boolean: Reader<boolean> = scalar("TYPE_BOOL", (value) => {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "boolean" ? value : undefined;
});

/** Numbers may be written as texts, as those of 64 bits have to be. */
export const int32: Reader<number> = scalar("TYPE_INT32", (value) => {
  const number = numeric(value);
  return number !== undefined && Number.isInteger(number) && Math.abs(number) <= 2 ** 31
    ? number
    : undefined;
});

export const int64: Reader<number> = scalar("TYPE_INT64", (value) => {
  const number = numeric(value);
  return number !== undefined && Number.isInteger(number) ? number : undefined;
});

export const double: Reader<number> = scalar("TYPE_DOUBLE", numeric);
export const float: Reader<number> = scalar("TYPE_FLOAT", numeric);

export interface Bytes {
  /** As the caller wrote it. */
  readonly written: string;
  readonly bytes: Uint8Array;
}

/** Base64 in either alphabet. */
export const bytes: Reader<Bytes> = (value, place) => {
  if (typeof value !== "string") return rejectValue(place, "TYPE_BYTES", value);
  const isClean = /^[\w+/-]*={0,2}$/.test(value) && value.replaceAll("=", "").length % 4 !== 1;
  if (!isClean) return rejectBase64(place, value);
  return { written: value, bytes: Buffer.from(value, "base64") };
};

/** Any object: the caller's own JSON, in which no name is ours. */
export const struct: Reader<JsonObject> = (value, place) => {
  if (isJsonArray(value))
    return rejectName(place, "Proto field is not repeating, cannot start list.");
  if (!isJsonObject(value))
    return rejectValue(place, "type.googleapis.com/google.protobuf.Struct", value);
  return isDeeper(value, MAX_DEPTH) ? rejectName(place, TOO_DEEP) : value;
};

export const anyValue: Reader<Json> = (value, place) =>
  isDeeper(value, MAX_DEPTH) ? rejectName(place, TOO_DEEP) : value;

export const MAX_DEPTH = 100;
export const TOO_DEEP = "Message too deep. Max recursion depth reached.";

function isDeeper(value: Json, levels: number): boolean {
  if (!isJsonArray(value) && !isJsonObject(value)) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Names in capitals, which the parser also takes in small letters, or their numbers: the names are in that order. */
export function enumeration<const Name extends string>(
  type: string,
  names: readonly Name[],
): Reader<Name> {
  return scalar(typeUrl(type), (value) => {
    if (typeof value === "number") return names[value];
    const wanted = typeof value === "string" ? value.toUpperCase().replaceAll("-", "_") : "";
    return names.find((name) => name === wanted);
  });
}

export function typeUrl(type: string): string {
  return `type.googleapis.com/google.ai.generativelanguage.v1beta.${type}`;
}

function scalar<Value>(type: string, read: (value: Json) => Value | undefined): Reader<Value> {
  return (value, place) => {
    if (isJsonArray(value))
      return rejectName(place, "Proto field is not repeating, cannot start list.");
    if (isJsonObject(value)) return rejectName(place, "Starting an object on a scalar field");
    return read(value) ?? rejectValue(place, type, value);
  };
}

function numeric(value: Json): number | undefined {
  if (typeof value === "number") return value;
  const isNumber = typeof value === "string" && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value);
  return isNumber ? Number(value) : undefined;
}
