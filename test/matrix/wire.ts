import type { Json, JsonObject } from "#lib/json.ts";

/** Reads of wire values, for the callers: what is missing is empty. */
export function objectIn(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function listIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((each: Json) => objectIn(each)) : [];
}

export function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function numberIn(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** The data of each event, in order; the named events' names are repeated in their data. */
export function framesIn(stream: string): readonly string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((frame) =>
      frame
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).trim())
        .join("\n"),
    )
    .filter((data) => data !== "");
}

export function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { unreadable: text };
  }
}
