import { GatewayError } from "#core/error.ts";

/**
 * A server that is no upstream responds with an HTML page. The content type is not sufficient: some
 * send event streams as `text/html`.
 */
export function isWebPage(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !SPACES.includes(byte));
  return first === OPENING;
}

/** Channels show this message, so that the operator looks for a wrong address. */
export function sentWebPage(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream sent a web page instead of an answer.");
}

const OPENING = "<".charCodeAt(0);
const SPACES = Buffer.from(" \t\r\n\uFEFF");
