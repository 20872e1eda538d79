import type { Images, MadePicture } from "#core/image.ts";
import type { UpstreamError } from "#core/style.ts";
import { usageOf, type Usage } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, longTextOf, memberOf, textOf } from "#lib/values.ts";
import { createdAtIn } from "#styles/image/created-at.ts";
import { noPicture } from "#styles/image/no-picture.ts";
import { asGatewayError, explainInside, isFilled } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/ark.ts";

/** Images fail separately: a response may contain both images and errors. */
export function parse(body: JsonObject): Images {
  const whole = failureIn(body);
  if (whole !== undefined) throw asGatewayError(whole);
  const entries = listOf(body["data"]);
  const pictures = entries.map(pictureIn).filter((each) => each !== undefined);
  const failures = entries.map(failureIn).filter((each) => each !== undefined);
  const [first] = failures;
  if (pictures.length === 0) throw first === undefined ? noPicture() : asGatewayError(first);
  return {
    pictures,
    failures,
    ...defined({ usage: usageIn(body["usage"]), createdAt: createdAtIn(body["created"]) }),
  };
}

export function pictureIn(entry: Json): MadePicture | undefined {
  const url = textOf(memberOf(entry, "url")) || undefined;
  const base64 = longTextOf(memberOf(entry, "b64_json")) || undefined;
  if (url === undefined && base64 === undefined) return undefined;
  return defined({ url, base64, size: textOf(memberOf(entry, "size")) });
}

export function failureIn(entry: Json): UpstreamError | undefined {
  const error = memberOf(entry, "error");
  return isFilled(error) && isObject(entry) ? explainInside({ error }, VOCABULARY) : undefined;
}

/** In versions that charge nothing for input images, the total equals the output. */
export function usageIn(wire: Json | undefined): Usage | undefined {
  const outputTokens = integerOf(memberOf(wire, "output_tokens"));
  if (outputTokens === undefined) return undefined;
  const total = integerOf(memberOf(wire, "total_tokens")) ?? outputTokens;
  return usageOf({ inputTokens: Math.max(0, total - outputTokens), outputTokens });
}
