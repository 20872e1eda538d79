import { GatewayError } from "#core/error.ts";
import { parseJson, isObject } from "#lib/json.ts";
import type { Body } from "#lib/pieces.ts";
import { viewOf } from "#lib/sse-bytes.ts";
import { withoutOwn } from "#egress/redact-own.ts";
import { scrub, type IsSent } from "#styles/scrub.ts";

type Own = Parameters<typeof withoutOwn>[1];

/**
 * A vendor's failure as the caller may see it: without the credential and the
 * address that were used, and without what looks like another secret, unless it
 * stands in the request.
 */
export function disclose(error: GatewayError, own: Own, isSent: IsSent): GatewayError {
  const shown = (text: string): string => withoutOwn(text, own);
  const { vendor, param, details, retryAfterMs, mayRetry, cause, upstream } = error;
  if (vendor === undefined) {
    error.message = shown(error.message);
    return error;
  }
  const { said, reason, code, type, status } = vendor;
  const isVendors = said !== undefined && error.message === reason;
  const message = isVendors ? scrub(shown(said), isSent) : shown(error.message);
  const json = details === undefined ? undefined : parseJson(shown(JSON.stringify(details)));
  const disclosed = new GatewayError(error.code, message, {
    cause,
    ...(param === undefined ? {} : { param: shown(param) }),
    ...(isObject(json) ? { details: json } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(mayRetry === undefined ? {} : { mayRetry }),
    vendor: {
      status,
      ...(code === undefined ? {} : { code: shown(code) }),
      ...(type === undefined ? {} : { type: shown(type) }),
      ...(reason === undefined
        ? {}
        : { reason: said === undefined ? shown(reason) : scrub(shown(said)) }),
    },
  });
  disclosed.upstream = upstream;
  return disclosed;
}

/** A longer request is not searched, nor one for more pieces than a message usually has. */
const MAX_SENT_BYTES = 16 * 1024 * 1024;
const MAX_LOOKUPS = 20;

/** Whether a piece of a message stands in the request that was sent. */
export function sentIn(body: Body | undefined): IsSent {
  let lookups = 0;
  return (piece) => {
    if (body === undefined || ++lookups > MAX_LOOKUPS) return false;
    const sizeBytes =
      typeof body === "string" || body instanceof Uint8Array ? body.length : body.sizeBytes;
    return sizeBytes <= MAX_SENT_BYTES && holds(body, piece);
  };
}

function holds(body: Body, piece: string): boolean {
  if (typeof body === "string") return body.includes(piece);
  if (body instanceof Uint8Array) return viewOf(body).includes(piece);
  for (const part of body) {
    if (holds(part, piece)) return true;
  }
  return false;
}
