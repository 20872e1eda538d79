import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { findPair } from "../key-pairs.ts";
import type { VendorRequest } from "../vendor.ts";
import { gateRefusal } from "./gate-error.ts";

/** A request as it was signed. */
interface SignedRequest extends Pick<VendorRequest, "method" | "query" | "headers" | "bytes"> {
  /** As it was sent, the vendor's prefix included. */
  readonly path: string;
}

interface SignatureRules {
  readonly apiKeys: readonly string[] | undefined;
  /** Unix ms. */
  readonly now: number;
  readonly service: string;
  readonly regions: readonly string[];
}

interface Signer {
  readonly accessKey: string;
  readonly region: string;
}

/**
 * Whoever signed the request; a refusal where it is not signed by a known pair,
 * for this service, within a quarter of an hour, with all that is sent:
 * https://www.volcengine.com/docs/6369/67269
 */
export function checkSignature(request: SignedRequest, rules: SignatureRules): Signer {
  const { headers } = request;
  const { credential, signedHeaders, signature } = readAuthorization(headers["authorization"]);
  const [accessKey = "", date = "", region = "", service = "", ending] = credential;
  const time = headers["x-date"] ?? "";
  const at = readTime(time);
  if (at === undefined || Math.abs(at - rules.now) > MAX_SKEW_MS || !time.startsWith(date))
    throw gateRefusal("InvalidTimestamp");
  if (service !== rules.service || !rules.regions.includes(region))
    throw gateRefusal("ServiceNotFound", service);
  const pair = findPair(accessKey, rules.apiKeys);
  if (pair === undefined) throw gateRefusal("InvalidAccessKey", accessKey);

  const { secret, sessionToken } = pair;
  const names = sessionToken === undefined ? SIGNED : [...SIGNED, "x-security-token"];
  const isWhole =
    names.every((name) => signedHeaders.includes(name)) &&
    headers["x-content-sha256"] === sha256(request.bytes) &&
    headers["x-security-token"] === sessionToken;
  const scope = [date, region, service, ending ?? ""];
  const right = signatureOf(canonicalRequest(request, signedHeaders), { time, scope, secret });
  if (!isWhole || ending !== "request" || !isSame(right, signature))
    throw gateRefusal("SignatureDoesNotMatch");
  return { accessKey, region };
}

const MAX_SKEW_MS = 900_000;
const SIGNED = ["content-type", "host", "x-content-sha256", "x-date"];

interface Authorization {
  /** The access key, and the scope's parts after it. */
  readonly credential: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

function readAuthorization(header: string | undefined): Authorization {
  if (header === undefined) throw gateRefusal("MissingAuthenticationToken");
  const [, algorithm, rest = ""] = /^(\S+)\s+(.*)$/.exec(header.trim()) ?? [];
  if (algorithm !== "HMAC-SHA256") throw gateRefusal("MissingRequestInfo", "HMAC-SHA256");
  const fields = new Map(
    rest.split(/\s*,\s*/).map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name, value.join("=")];
    }),
  );
  const signature = fields.get("Signature");
  if (signature === undefined) throw gateRefusal("MissingSignature");
  const credential = fields.get("Credential")?.split("/") ?? [];
  if (credential.length !== 5) throw gateRefusal("MissingRequestInfo", "Credential");
  return {
    credential,
    signedHeaders: fields.get("SignedHeaders")?.split(";") ?? [],
    signature,
  };
}

/** "20260101T120000Z" */
function readTime(text: string): number | undefined {
  const spread = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  const at = Date.parse(text.replace(spread, "$1-$2-$3T$4:$5:$6Z"));
  return spread.test(text) && !Number.isNaN(at) ? at : undefined;
}

function canonicalRequest(
  { method, path, query, headers, bytes }: SignedRequest,
  signedHeaders: readonly string[],
): string {
  return [
    method,
    path === "" ? "/" : path,
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${(headers[name] ?? "").trim()}`),
    "",
    signedHeaders.join(";"),
    sha256(bytes),
  ].join("\n");
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join("&");
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** All but letters, digits and four signs. */
function escaped(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      const hex = byte.toString(16).toUpperCase().padStart(2, "0");
      return /[\w.~-]/.test(sign) ? sign : `%${hex}`;
    })
    .join("");
}

interface SigningScope {
  readonly time: string;
  readonly scope: readonly string[];
  readonly secret: string;
}

function signatureOf(canonical: string, { time, scope, secret }: SigningScope): string {
  const toSign = ["HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((before, part) => hmac(before, part), secret);
  return hmac(key, toSign).toString("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function isSame(left: string, right: string): boolean {
  const [first, second] = [Buffer.from(left), Buffer.from(right)];
  return first.length === second.length && timingSafeEqual(first, second);
}
