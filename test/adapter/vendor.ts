import { isObject, parseJson, type JsonObject } from "#lib/json.ts";

/** A request as the vendor got it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
  /** The same for all that came over one connection. */
  readonly connection: number;
}

export interface Vendor extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
  /** Answers that somebody let go of before their end. */
  readonly cut: number;
  get last(): Seen;
}

export type Respond = (seen: Seen) => Response | Promise<Response>;

/** A vendor on this machine, which says what it is told to say. */
export function openVendor(respond: Respond): Vendor {
  const seen: Seen[] = [];
  let cut = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const text = await request.text();
      const url = new URL(request.url);
      const body = parseJson(text);
      const one: Seen = {
        method: request.method,
        path: url.pathname + url.search,
        headers: request.headers,
        text,
        body: isObject(body) ? body : {},
        connection: server.requestIP(request)?.port ?? 0,
      };
      seen.push(one);
      request.signal.addEventListener("abort", () => cut++);
      return respond(one);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    get cut() {
      return cut;
    },
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

export function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}

/** Server-sent events, or any stream, in the given pieces. */
export function stream(
  pieces: readonly (string | Uint8Array)[],
  type = "text/event-stream",
  pause?: (index: number) => Promise<void>,
): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause?.(at);
      const piece = pieces[at++];
      if (piece === undefined) controller.close();
      else controller.enqueue(typeof piece === "string" ? Buffer.from(piece) : piece);
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}
