import type { UpstreamError } from "#core/style.ts";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { explainInside, isFilled } from "#styles/upstream-error.ts";

/** A failure inside an answer that began as a success; `undefined` where there is none. */
export function errorIn(body: Json | undefined): UpstreamError | undefined {
  if (!isObject(body)) return undefined;
  if (body["type"] === "error" || isFilled(body["error"])) return explainInside(body);
  const isAnswer = isArray(body["content"]) || typeof body["type"] === "string";
  const isReport = isFilled(body["message"]) || isFilled(body["detail"]);
  return !isAnswer && isReport ? explainInside(body) : undefined;
}
