import type { FaultCode, GatewayError } from "#core/error.ts";

/** Faults of the request that a vendor found: its code is more specific than the gateway's. */
const OF_REQUEST: ReadonlySet<FaultCode> = new Set([
  "upstream_rejected",
  "upstream_forbidden",
  "upstream_not_found",
  "upstream_refused",
]);

/** The vendor's own code, if clients can act on it. */
export function vendorCodeOf({ code, vendor }: GatewayError): string | undefined {
  return OF_REQUEST.has(code) ? vendor?.code : undefined;
}

/** Text in the message by which the clients of a style recognize a context overflow. */
export interface OverflowWords {
  /** In lower case. */
  readonly known: string;
  /** Put before a message that lacks the text. */
  readonly intro: string;
}

export function messageOf(error: GatewayError, { known, intro }: OverflowWords): string {
  const { code, message } = error;
  const isUnknown = code === "context_length_exceeded" && !message.toLowerCase().includes(known);
  return isUnknown ? `${intro}: ${message}` : message;
}
