import type { UpstreamError } from "#core/style.ts";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { explainInside, isFilled } from "#styles/upstream-error.ts";
import { isFailure } from "./finish.ts";

/** A failure inside an answer that began as a success; `undefined` where there is none. */
export function errorIn(json: Json): UpstreamError | undefined {
  const body = isArray(json) ? json[0] : json;
  if (!isObject(body)) return undefined;
  const choices = listOf(body["choices"]);
  const failure = failureIn(choices);
  if (failure !== undefined) return failure;
  if (isFilled(body["error"]) || body["object"] === "error") return explainInside(body);
  const envelope = body["base_resp"];
  if (isObject(envelope) && (integerOf(envelope["status_code"]) ?? 0) !== 0) {
    return explainInside({ message: envelope["status_msg"] });
  }
  const isAnswer = choices.length > 0 || body["choices"] !== undefined;
  const isReport = isFilled(body["message"]) || isFilled(body["detail"]);
  return !isAnswer && isReport ? explainInside(body) : undefined;
}

/** Runs on every chunk of a stream. */
function failureIn(choices: readonly Json[]): UpstreamError | undefined {
  for (const choice of choices) {
    const error = memberOf(choice, "error");
    if (isFilled(error)) return explainInside({ error });
    const reason = textOf(memberOf(choice, "finish_reason"));
    if (reason !== undefined && isFailure(reason)) {
      return explainInside({ message: "The upstream aborted its response." });
    }
  }
  return undefined;
}
