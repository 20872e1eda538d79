import { createHash, createHmac } from "node:crypto";

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array;
  /** Of the request, by name in small letters; those named in `sign` are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** Unix ms. */
  readonly at: number;
  /** Headers to sign beside the host and the signature's own. */
  readonly sign?: readonly string[];
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * The headers that sign a request by Signature Version 4, as its specification
 * describes it for every service but S3:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signV4(
  request: SignedRequest,
  key: SigningKey,
  scope: SigningScope,
): Record<string, string> {
  const time = timestamp(scope.at);
  const own: Record<string, string> = {
    "x-amz-date": time,
    ...(key.sessionToken === undefined ? {} : { "x-amz-security-token": key.sessionToken }),
  };
  const signed = headersToSign(request, own, scope.sign ?? []);
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    request.method,
    canonicalPath(request.url.pathname),
    canonicalQuery(request.url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, " ")}`),
    "",
    names,
    sha256(request.body),
  ].join("\n");

  const date = time.slice(0, 8);
  const credentialScope = `${date}/${scope.region}/${scope.service}/aws4_request`;
  const toSign = [ALGORITHM, time, credentialScope, sha256(canonical)].join("\n");
  const signature = hmac(signingKey(key.secretAccessKey, date, scope), toSign).toString("hex");
  const credential = `Credential=${key.accessKeyId}/${credentialScope}`;
  return {
    ...own,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** `20150830T123600Z`. */
function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function headersToSign(
  { headers, url }: SignedRequest,
  own: Readonly<Record<string, string>>,
  names: readonly string[],
): readonly (readonly [string, string])[] {
  const chosen = names.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return [["host", url.host] as const, ...Object.entries(own), ...chosen].toSorted(byFirst);
}

/** A path is encoded once by whoever wrote it, and once more here. */
function canonicalPath(path: string): string {
  return path.split("/").map(encode).join("/");
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted((a, b) => byFirst(a, b) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signingKey(secret: string, date: string, { region, service }: SigningScope): Buffer {
  return [region, service, "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, date));
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

function byFirst(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]);
}

/** By code unit, as the specification sorts. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
