import {
  APICallError,
  LoadAPIKeyError,
  LoadSettingError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { GatewayError } from "#core/error.ts";
import { refuse } from "#core/lossy.ts";
import { parseJson, isObject } from "#lib/json.ts";
import { scrub } from "#styles/scrub.ts";
import { asGatewayError as ofVendor, explainInside, parseError } from "#styles/upstream-error.ts";
import { isMembers, textIn } from "./unknown.ts";

const MAX_CAUSES = 8;

/**
 * What a package throws, in our words. What came over our own way out is a
 * failure of ours already, however deep the package wrapped it.
 */
export function asGatewayError(thrown: unknown): GatewayError {
  let cause = thrown;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if (cause instanceof GatewayError) return cause;
    cause = cause.cause;
  }
  if (UnsupportedFunctionalityError.isInstance(thrown)) {
    return refuse(scrub(thrown.functionality), "this upstream's library does not support it.");
  }
  if (LoadAPIKeyError.isInstance(thrown) || LoadSettingError.isInstance(thrown)) {
    return new GatewayError("upstream_auth", "The channel's options are not complete.", {
      cause: thrown,
    });
  }
  if (APICallError.isInstance(thrown)) return ofCall(thrown);
  if (textIn(thrown, "name") === "AI_InvalidPromptError") {
    return new GatewayError("not_carried", "This upstream's library refuses the conversation.", {
      cause: thrown,
    });
  }
  return new GatewayError("upstream_failed", "The upstream's answer cannot be read.", {
    cause: thrown,
  });
}

/** A failure told inside of a stream: an error, the vendor's own object, or a word. */
export function failureIn(told: unknown): GatewayError {
  if (told instanceof Error) return asGatewayError(told);
  const body = isMembers(told) ? parseJson(JSON.stringify(told)) : { message: String(told) };
  const error = isObject(body) && isObject(body["error"]) ? body : { error: body ?? null };
  return ofVendor(explainInside(error));
}

/** The vendor failed with a status of its own making, or with a body that makes no sense. */
function ofCall(error: APICallError): GatewayError {
  const { statusCode, responseBody = "" } = error;
  if (statusCode === undefined || statusCode < 400) {
    return new GatewayError("upstream_failed", "The upstream's answer cannot be read.", {
      cause: error,
    });
  }
  return ofVendor(parseError(statusCode, responseBody));
}
