import { GatewayError } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { explainInside, isFilled } from "#styles/upstream-error.ts";

/** A failure inside an answer that began as a success. */
export function errorIn(body: JsonObject): UpstreamError | undefined {
  return isFilled(body["error"]) ? explainInside(body) : undefined;
}

export { asGatewayError } from "#styles/upstream-error.ts";

/** The vendor's word for why it does not answer a question at all; a success by its status. */
export function blockIn(body: JsonObject): string | undefined {
  const reason = textOf(memberOf(body["promptFeedback"], "blockReason"));
  const { candidates } = body;
  const isAnswered = isArray(candidates) && candidates.length > 0;
  return reason === undefined || reason === "" || isAnswered ? undefined : reason;
}

export function blocked(reason: string): GatewayError {
  return new GatewayError("content_filtered", `The upstream refuses this request: ${reason}.`);
}

/** Some servers put a stream's failure into a list. */
export function bodiesIn(json: Json): readonly Json[] {
  return isArray(json) ? json : [json];
}
