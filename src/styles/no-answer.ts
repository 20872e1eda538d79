import { GatewayError } from "#core/error.ts";

/** An upstream's answer that is none to the question: `The upstream's answer has no text.` */
export function noAnswer(why: string): GatewayError {
  return new GatewayError("upstream_failed", `The upstream's answer ${why}.`);
}
