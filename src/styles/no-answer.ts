import { GatewayError } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";

/** An upstream's answer that is none to the question: `The upstream's answer has no text.` */
export function noAnswer(why: string): GatewayError {
  return new GatewayError("upstream_failed", `The upstream's answer ${why}.`);
}

/** A stream whose bytes or whose end mark came before the answer's end. */
export const BROKEN_OFF: UpstreamError = {
  code: "upstream_failed",
  message: "The upstream's answer broke off before its end.",
};
