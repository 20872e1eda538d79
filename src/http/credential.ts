import { GatewayError } from "#core/error.ts";

/** Sent by clients of Azure OpenAI. */
const AZURE_KEY_HEADER = "api-key";
const VENDOR_HEADER = /^x-[a-z0-9]{1,32}-api-key$/;

/**
 * The only function that reads a client's secret: from a Bearer header, `x-api-key`, `api-key`,
 * `x-<vendor>-api-key`, or `?key=`. Two different secrets are refused, because two readers might
 * pick different ones.
 */
export function readCredential(request: Request): string {
  const { headers } = request;
  let secret: string | undefined;
  // Few headers are relevant, so compare names before reading values.
  for (const name of headers.keys()) {
    if (name === "authorization") secret = oneOf(secret, bearerToken(headers.get(name) ?? ""));
    else if (name.endsWith("api-key") && isKeyHeader(name)) {
      secret = oneOf(secret, headers.get(name) ?? "");
    }
  }
  const inQuery = queryKey(request.url);
  if (inQuery !== undefined) secret = oneOf(secret, inQuery);

  if (secret === undefined || secret === "") {
    throw unauthenticated("No API key was sent. Send it as 'Authorization: Bearer <key>'.");
  }
  return secret;
}

function oneOf(earlier: string | undefined, found: string): string {
  if (earlier === undefined || earlier === found) return found;
  throw unauthenticated("This request carries two different API keys.");
}

/**
 * A user's access token. API keys may use other headers; logins may not. Schemes other than Bearer
 * belong to a reverse proxy and are ignored.
 */
export function readBearer(request: Request): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  return isBearer(header) ? bearerToken(header) : undefined;
}

function isKeyHeader(name: string): boolean {
  return name === "x-api-key" || name === AZURE_KEY_HEADER || isVendorKeyHeader(name);
}

/** `x-<vendor>-api-key`, for any vendor. */
export function isVendorKeyHeader(name: string): boolean {
  return VENDOR_HEADER.test(name);
}

export function unauthenticated(message: string): GatewayError {
  return new GatewayError("unauthenticated", message);
}

function bearerToken(header: string): string {
  if (!isBearer(header)) {
    throw unauthenticated("The Authorization header must be 'Bearer <key>'.");
  }
  return header.slice("Bearer ".length).trim();
}

function isBearer(header: string): boolean {
  return header.startsWith("Bearer ") || header.slice(0, 7).toLowerCase() === "bearer ";
}

function queryKey(url: string): string | undefined {
  if (!url.includes("key=")) return undefined;
  return new URL(url).searchParams.get("key") ?? undefined;
}
