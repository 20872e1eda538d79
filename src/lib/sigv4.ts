import { createHash, createHmac } from "node:crypto";
import { Pieces, type Body } from "./pieces.ts";

interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: Body;
  /** Request headers by lower-case name; those named in `sign` are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** Unix ms. */
  readonly at: number;
  /** Headers to sign in addition to the host and the signature's own. */
  readonly sign?: readonly string[];
}

/** The differences between services with this kind of signature. */
interface Variant {
  readonly algorithm: string;
  /** Prefix of the secret. */
  readonly prefix: string;
  /** Last part of the scope. */
  readonly ending: string;
}

const AWS: Variant = { algorithm: "AWS4-HMAC-SHA256", prefix: "AWS4", ending: "aws4_request" };
const VOLCENGINE: Variant = { algorithm: "HMAC-SHA256", prefix: "", ending: "request" };

/**
 * The headers that sign a request with Signature Version 4, for every service
 * except S3:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signV4(
  request: SignedRequest,
  key: SigningKey,
  scope: SigningScope,
): Record<string, string> {
  const own = {
    "x-amz-date": timestamp(scope.at),
    ...(key.sessionToken === undefined ? {} : { "x-amz-security-token": key.sessionToken }),
  };
  return { ...own, authorization: authorizationOf(request, own, key, scope, AWS) };
}

/**
 * The same for Volcengine, which also signs a header with the body's hash:
 * https://www.volcengine.com/docs/6369/67269
 */
export function signVolcengine(
  request: SignedRequest,
  key: SigningKey,
  scope: SigningScope,
): Record<string, string> {
  const own = {
    "x-content-sha256": sha256(request.body),
    "x-date": timestamp(scope.at),
    ...(key.sessionToken === undefined ? {} : { "x-security-token": key.sessionToken }),
  };
  return { ...own, authorization: authorizationOf(request, own, key, scope, VOLCENGINE) };
}

function authorizationOf(
  request: SignedRequest,
  own: Readonly<Record<string, string>>,
  key: SigningKey,
  scope: SigningScope,
  { algorithm, prefix, ending }: Variant,
): string {
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

  const time = timestamp(scope.at);
  const parts = [time.slice(0, 8), scope.region, scope.service, ending];
  const credentialScope = parts.join("/");
  const toSign = [algorithm, time, credentialScope, sha256(canonical)].join("\n");
  const signingKey = parts.reduce<string | Buffer>(hmac, prefix + key.secretAccessKey);
  const signature = hmac(signingKey, toSign).toString("hex");
  const credential = `Credential=${key.accessKeyId}/${credentialScope}`;
  return `${algorithm} ${credential}, SignedHeaders=${names}, Signature=${signature}`;
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

/** The path is already encoded once; the signature encodes it again. */
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

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: Body): string {
  const hash = createHash("sha256");
  for (const piece of text instanceof Pieces ? text : [text]) hash.update(piece);
  return hash.digest("hex");
}

function byFirst(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]);
}

/** By code unit, as the specification requires. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
