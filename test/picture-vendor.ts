import { isObject, parseJson, type JsonObject } from "#lib/json.ts";

/** A request as the vendor got it, read by the runtime and not by the gateway's own code. */
export interface Seen {
  readonly path: string;
  readonly headers: Headers;
  /** The JSON, or the fields of a form. */
  readonly body: JsonObject;
  readonly files: readonly SeenFile[];
}

interface SeenFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface PictureVendor extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
  get last(): Seen;
}

/** An upstream for pictures on this machine, which answers as it is told to. */
export function openPictureVendor(
  respond: (seen: Seen) => Response | Promise<Response>,
): PictureVendor {
  const seen: Seen[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    maxRequestBodySize: 256 * 1024 * 1024,
    async fetch(request) {
      const one = await readRequest(request);
      seen.push(one);
      return await respond(one);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    get last() {
      const last = seen.at(-1);
      if (last === undefined) throw new Error("Nobody asked.");
      return last;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

async function readRequest(request: Request): Promise<Seen> {
  const { headers } = request;
  const path = new URL(request.url).pathname;
  if (!(headers.get("content-type") ?? "").startsWith("multipart/form-data")) {
    const json = parseJson(await request.text());
    return { path, headers, body: isObject(json) ? json : {}, files: [] };
  }
  const fields: [string, string][] = [];
  const files: SeenFile[] = [];
  for (const [field, value] of (await request.formData()).entries()) {
    if (typeof value === "string") fields.push([field, value]);
    else files.push({ field, name: value.name, type: value.type, bytes: await value.bytes() });
  }
  return { path, headers, body: Object.fromEntries(fields), files };
}

/** A dot, in each format that callers may give. */
export const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
export const GIF = Uint8Array.from(
  Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
);
export const jpeg = (): Promise<Uint8Array> => new Bun.Image(PNG).jpeg().bytes();
export const webp = (): Promise<Uint8Array> => new Bun.Image(PNG).webp().bytes();

export function dataUri(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

export const BASE64 = Buffer.from(PNG).toString("base64");

/** As the newer models of the format's first vendor answer. */
export function answerTokens({ body }: Seen): Response {
  const count = Number(body["n"] ?? 1);
  return Response.json({
    created: 1_769_567_828,
    background: "opaque",
    output_format: "png",
    quality: body["quality"],
    size: body["size"],
    data: Array.from({ length: count }, () => ({ b64_json: BASE64 })),
    usage: {
      input_tokens: 10,
      input_tokens_details: { text_tokens: 10, image_tokens: 0 },
      output_tokens: 1_056 * count,
      output_tokens_details: { image_tokens: 1_056 * count, text_tokens: 0 },
      total_tokens: 10 + 1_056 * count,
    },
  });
}
