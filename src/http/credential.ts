import { GatewayError } from "#core/error.ts";

/** Sent by clients of Azure OpenAI. */
const AZURE_KEY_HEADER = "api-key";
const VENDOR_HEADER = /^x-[a-z0-9]{1,32}-api-key$/;

/**
 * The one place where a caller's secret is read: a Bearer header, `x-api-key`,
 * `api-key`, `x-<vendor>-api-key`, or `?key=`. Two that differ are refused, since two
 * readers might pick different ones.
 */
export function readCredential(request: Request): string {
  let secret: string | undefined;
  const found = (value: string): void => {
    if (secret !== undefined && secret !== value) {
      throw unauthenticated("This request carries two different API keys.");
    }
    secret = value;
  };

  const { headers } = request;
  // Few of the headers are of interest, so their names are looked at first.
  for (const name of headers.keys()) {
    if (name === "authorization") found(bearerToken(headers.get(name) ?? ""));
    else if (name.endsWith("api-key") && isKeyHeader(name)) found(headers.get(name) ?? "");
  }
  const inQuery = queryKey(request.url);
  if (inQuery !== undefined) found(inQuery);

  if (secret === undefined || secret === "") {
    throw unauthenticated("No API key was sent. Send it as 'Authorization: Bearer <key>'.");
  }
  return secret;
}

/**
 * A user's own token. Keys have other places to stand in; no login is read from
 * those. Another scheme than Bearer is for a proxy in front, not for us.
 */
export function readBearer(request: Request): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  return isBearer(header) ? bearerToken(header) : undefined;
}

function isKeyHeader(name: string): boolean {
  return name === "x-api-key" || name === AZURE_KEY_HEADER || isVendorKeyHeader(name);
}

/** `x-<vendor>-api-key`, whichever the vendor. */
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
  return header.slice(7).trim();
}

function isBearer(header: string): boolean {
  return header.slice(0, 7).toLowerCase() === "bearer ";
}

function queryKey(url: string): string | undefined {
  if (!url.includes("key=")) return undefined;
  return new URL(url).searchParams.get("key") ?? undefined;
}
