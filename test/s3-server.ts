/** An object as a store has it. */
interface StoredObject {
  readonly bytes: Uint8Array;
  readonly type: string;
}

interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Methods and paths, in their order. */
  readonly asked: readonly string[];
  /** What is answered in place of everything, until it is taken away. */
  failure: (() => Response | Promise<Response>) | undefined;
  /** Requests whose signature names another key than this one's are refused. */
  readonly keyId: string;
}

/** Enough of S3 to keep, hand over and remove objects, in one piece or in several. */
export function openS3Server(keyId: string): S3Server {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Map<number, Uint8Array>>();
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 1024 * 1024 * 1024,
    async fetch(request) {
      const { pathname, searchParams: query } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      if (self.failure !== undefined) return await self.failure();
      const signed = request.headers.get("authorization") ?? "";
      if (!signed.startsWith(`AWS4-HMAC-SHA256 Credential=${keyId}/`))
        return refusal(403, "AccessDenied");
      const upload = query.get("uploadId");
      const type = request.headers.get("content-type") ?? "";
      switch (request.method) {
        case "PUT": {
          const bytes = new Uint8Array(await request.arrayBuffer());
          if (upload === null) objects.set(pathname, { bytes, type });
          else uploads.get(upload)?.set(Number(query.get("partNumber")), bytes);
          return new Response(null, { headers: { etag: `"${Bun.hash(bytes)}"` } });
        }
        case "POST": {
          if (upload === null) return begin(uploads);
          const parts = [...(uploads.get(upload) ?? [])].toSorted(([a], [b]) => a - b);
          objects.set(pathname, { bytes: Buffer.concat(parts.map(([, part]) => part)), type });
          uploads.delete(upload);
          return xml(
            "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>",
          );
        }
        case "DELETE":
          objects.delete(pathname);
          return new Response(null, { status: 204 });
        default:
          return hand(objects.get(pathname), request);
      }
    },
  });
  const self: S3Server = {
    url: `http://127.0.0.1:${server.port}`,
    objects,
    asked,
    failure: undefined,
    keyId,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  return self;
}

function begin(uploads: Map<string, Map<number, Uint8Array>>): Response {
  const id = crypto.randomUUID();
  uploads.set(id, new Map());
  return xml(
    `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
  );
}

function hand(object: StoredObject | undefined, { headers, method }: Request): Response {
  if (object === undefined) return refusal(404, "NoSuchKey");
  const { bytes, type } = object;
  const about = { "content-type": type, etag: '"x"' };
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(headers.get("range") ?? "") ?? [];
  if (first === "") {
    const whole = { ...about, "content-length": String(bytes.length) };
    return new Response(method === "HEAD" ? null : bytes, { headers: whole });
  }
  const end = last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  const range = { "content-range": `bytes ${first}-${end - 1}/${bytes.length}` };
  return new Response(bytes.slice(Number(first), end), {
    status: 206,
    headers: { ...about, ...range },
  });
}

function refusal(status: number, code: string): Response {
  return xml(`<Error><Code>${code}</Code><Message>No.</Message></Error>`, status);
}

function xml(text: string, status = 200): Response {
  return new Response(`<?xml version="1.0"?>${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });
}
