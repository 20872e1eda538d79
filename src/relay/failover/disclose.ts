import { GatewayError } from "#core/error.ts";
import { parseJson, isObject } from "#lib/json.ts";
import type { Body } from "#lib/pieces.ts";
import { viewOf } from "#lib/sse-bytes.ts";
import { withoutOwn } from "#egress/redact-own.ts";
import { scrub, type IsSent } from "#styles/scrub.ts";

type Own = Parameters<typeof withoutOwn>[1];

/**
 * A vendor's error as the client may see it. The credential and address of the request are removed,
 * and anything else that looks like a secret, unless it is part of the client's request.
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

/** Larger requests are not searched, nor are messages with more words than usual. */
const MAX_SENT_BYTES = 16 * 1024 * 1024;
const MAX_LOOKUPS = 20;

/** Whether a part of a message occurs in the sent request. */
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
