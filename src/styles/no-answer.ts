import { GatewayError } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";

/** An upstream response without the expected content: `The upstream's answer has no text.` */
export function noAnswer(why: string): GatewayError {
  return new GatewayError("upstream_failed", `The upstream's answer ${why}.`);
}

/** A stream that ended, or sent its end marker, before the response was complete. */
export const BROKEN_OFF: UpstreamError = {
  code: "upstream_failed",
  message: "The upstream's response ended before it was complete.",
};
