import type { FaultCode, GatewayError } from "#core/error.ts";

/** Failures of the request that a vendor found: its code says more than any of ours. */
const OF_REQUEST: ReadonlySet<FaultCode> = new Set([
  "upstream_rejected",
  "upstream_forbidden",
  "upstream_not_found",
  "upstream_refused",
]);

/** The vendor's own code, if callers can act on it. */
export function vendorCodeOf({ code, vendor }: GatewayError): string | undefined {
  return OF_REQUEST.has(code) ? vendor?.code : undefined;
}

/** How the clients of a style know that a conversation is too long: by words in the message. */
export interface OverflowWords {
  /** In small letters. */
  readonly known: string;
  /** Stands before a message without them. */
  readonly intro: string;
}

export function messageOf(error: GatewayError, { known, intro }: OverflowWords): string {
  const { code, message } = error;
  const isUnknown = code === "context_length_exceeded" && !message.toLowerCase().includes(known);
  return isUnknown ? `${intro}: ${message}` : message;
}
