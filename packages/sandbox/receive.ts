import type { IncomingMessage } from "node:http";
import { parseJson, type Json } from "./json.ts";
import { readForm, type Form } from "./wire/form.ts";

/** A request, read to its end. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** `undefined` where the body is not JSON. */
  readonly body: Json | undefined;
  /** Only where the body is one. */
  readonly form?: Form;
  readonly bodySizeBytes: number;
}

/** `undefined` where the body is bigger than a sandbox has to take. */
export async function receive(request: IncomingMessage): Promise<Received | undefined> {
  const parts: Uint8Array[] = [];
  let bodySizeBytes = 0;
  for await (const part of request) {
    const bytes = new Uint8Array(part);
    bodySizeBytes += bytes.length;
    if (bodySizeBytes > MAX_BODY_BYTES) return undefined;
    parts.push(bytes);
  }

  const bytes = Buffer.concat(parts);
  // As it was written: a path that the runtime would tidy up is a finding.
  const [path = "/", ...query] = (request.url ?? "/").split("?");
  const headers = plainHeaders(request);
  const form = await readForm(bytes, headers["content-type"]);
  return {
    method: request.method ?? "GET",
    path,
    query: query.join("?"),
    headers,
    bytes,
    body: form === undefined ? parseJson(bytes.toString("utf8")) : undefined,
    ...(form === undefined ? {} : { form }),
    bodySizeBytes,
  };
}

const MAX_BODY_BYTES = 96 * 1_048_576;

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const plain = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(plain);
}
