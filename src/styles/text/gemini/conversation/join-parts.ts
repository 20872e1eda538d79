import { Buffer } from "node:buffer";
import type { JsonObject } from "#lib/json.ts";
import { objectOf, textOf } from "#lib/values.ts";

/** Pieces as they were streamed, as parts of one content: what belongs together becomes one part. */
export function joinParts(parts: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const both = last === undefined ? undefined : join(last, part);
    if (both === undefined) joined.push(part);
    else joined[joined.length - 1] = both;
  }
  return joined;
}

function join(a: JsonObject, b: JsonObject): JsonObject | undefined {
  if (a["thoughtSignature"] !== undefined) return undefined;
  if (typeof a["text"] === "string" && typeof b["text"] === "string") {
    const isAlike = (a["thought"] === true) === (b["thought"] === true);
    return isAlike ? { ...a, ...b, text: a["text"] + b["text"] } : undefined;
  }
  return joinSound(a, b);
}

function joinSound(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const [first, second] = [soundIn(a), soundIn(b)];
  if (first === undefined || second === undefined) return undefined;
  if (first.mimeType !== second.mimeType) return undefined;
  const bytes = [first.data, second.data].map((data) => Buffer.from(data, "base64"));
  const data = Buffer.concat(bytes).toString("base64");
  return { inlineData: { mimeType: first.mimeType, data } };
}

function soundIn(part: JsonObject): { mimeType: string; data: string } | undefined {
  const inlineData = objectOf(part["inlineData"]);
  const mimeType = textOf(inlineData?.["mimeType"]) ?? "";
  const data = textOf(inlineData?.["data"]);
  return mimeType.startsWith("audio/") && data !== undefined ? { mimeType, data } : undefined;
}
