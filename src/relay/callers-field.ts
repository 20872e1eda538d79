import { GatewayError } from "#core/error.ts";
import type { InboundStyle } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";

/**
 * A refusal in the words of the caller's style. Styles that write requests know
 * the conversation as `messages`, whichever style it was written in.
 */
export function inCallersWords(
  error: GatewayError,
  { conversationField, inbound }: InboundStyle,
  body: JsonObject,
): GatewayError {
  const { code, param, retryAfterMs, details, cause } = error;
  if (code !== "not_carried" && code !== "invalid_request") return error;
  if (param === undefined || !/^messages\b/.test(param)) return error;
  const places = inbound.placesOf?.(body);
  if (places === undefined && conversationField === "messages") return error;
  const rename = (text: string): string =>
    text.replaceAll(MESSAGE, (_, index?: string) =>
      index === undefined ? conversationField : (places?.[Number(index)] ?? conversationField),
    );
  const known = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new GatewayError(code, rename(error.message), {
    ...known,
    ...(details === undefined ? {} : { details }),
    param: rename(param),
    cause,
  });
}

/** Not a member of another object, nor a word of a sentence. */
const MESSAGE = /(?<=^|')messages(?:\[(\d+)\])?(?=[.'[]|$)/g;
