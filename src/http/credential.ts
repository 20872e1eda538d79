import { GatewayError } from "#core/error.ts";

const VENDOR_HEADER = /^x-[a-z0-9]{1,32}-api-key$/;

/**
 * The one place where a caller's secret is read: a Bearer header, `x-api-key`,
 * `x-<vendor>-api-key`, or `?key=`. Two that differ are refused, since two
 * readers might pick different ones.
 */
export function readCredential(request: Request): string {
  const found = new Set<string>();
  const authorization = request.headers.get("authorization");
  if (authorization !== null) found.add(bearerToken(authorization));

  for (const [name, value] of request.headers) {
    if (name === "x-api-key" || VENDOR_HEADER.test(name)) found.add(value);
  }
  const inQuery = queryKey(request.url);
  if (inQuery !== undefined) found.add(inQuery);

  const [secret, another] = found;
  if (another !== undefined) throw unauthenticated("This request carries two different API keys.");
  if (secret === undefined || secret === "") {
    throw unauthenticated("No API key was sent. Send it as 'Authorization: Bearer <key>'.");
  }
  return secret;
}

export function unauthenticated(message: string): GatewayError {
  return new GatewayError("unauthenticated", message);
}

function bearerToken(header: string): string {
  if (header.slice(0, 7).toLowerCase() !== "bearer ") {
    throw unauthenticated("The Authorization header must be 'Bearer <key>'.");
  }
  return header.slice(7).trim();
}

function queryKey(url: string): string | undefined {
  if (!url.includes("key=")) return undefined;
  return new URL(url).searchParams.get("key") ?? undefined;
}
