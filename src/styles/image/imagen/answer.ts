import { GatewayError } from "#core/error.ts";
import type { Images, MadePicture } from "#core/image.ts";
import type { UpstreamError } from "#core/style.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { defined, listOf, longTextOf, textOf } from "#lib/values.ts";
import { scrub } from "#styles/scrub.ts";
import { asGatewayError, errorIn } from "#styles/text/gemini/failure.ts";

/** A filtered image may be replaced by the reason. */
export function parse(body: JsonObject): Images {
  const error = errorIn(body);
  if (error !== undefined) throw asGatewayError(error);
  if (!isAnswer(body)) {
    throw new GatewayError("upstream_failed", "The upstream's response has no predictions.");
  }
  const predictions = listOf(body["predictions"]).filter(isObject);
  const pictures = predictions.flatMap((each) => pictureIn(each) ?? []);
  const failures = predictions.flatMap((each) => failureIn(each) ?? []);
  if (pictures.length > 0) return { pictures, ...(failures.length > 0 && { failures }) };
  const [why] = failures;
  if (why !== undefined) throw asGatewayError(why);
  throw new GatewayError("content_filtered", "The upstream filtered out all images.");
}

/** If all images were filtered without a reason, the response is empty. */
function isAnswer(body: JsonObject): boolean {
  return isArray(body["predictions"]) || Object.keys(body).length === 0;
}

function pictureIn(prediction: JsonObject): MadePicture | undefined {
  const base64 = longTextOf(prediction["bytesBase64Encoded"]) ?? "";
  if (base64 === "") return undefined;
  const mediaType = textOf(prediction["mimeType"]);
  // The prompt as the vendor rewrote it.
  const revisedPrompt = textOf(prediction["prompt"]) || undefined;
  return { base64, ...defined({ mediaType, revisedPrompt }) };
}

function failureIn(prediction: JsonObject): UpstreamError | undefined {
  const reason = textOf(prediction["raiFilteredReason"]) ?? "";
  return reason === "" ? undefined : { code: "content_filtered", message: scrub(reason) };
}
