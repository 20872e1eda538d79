import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** The signed parts of a request. */
interface Signed {
  readonly method: string;
  /** From the first slash on. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the headers that are signed, in their order. */
  readonly signedHeaders: readonly string[];
  readonly bodyHash: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The maker's own scheme, in which a key is made for the day, the region and the service. */
export function signatureOf(secret: string, request: Signed): string {
  const { date, region, service } = request;
  const scope = [date.slice(0, 8), region, service, "request"];
  const text = ["HMAC-SHA256", date, scope.join("/"), sha256(canonical(request))].join("\n");
  const key = scope.reduce((last: string | Buffer, part) => hmac(last, part), secret);
  return hmac(key, text).toString("hex");
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

export function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function canonical({ method, path, query, headers, signedHeaders, bodyHash }: Signed): string {
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? "").trim()}\n`);
  const names = signedHeaders.join(";");
  return [method, path || "/", canonicalQuery(query), lines.join(""), names, bodyHash].join("\n");
}

function canonicalQuery(query: URLSearchParams): string {
  const before = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  return [...query]
    .toSorted((left, right) => before(left[0], right[0]) || before(left[1], right[1]))
    .map((pair) => pair.map(escaped).join("="))
    .join("&");
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
