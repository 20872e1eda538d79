import type { Authorize } from "#core/authorize.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "./egress.ts";

/**
 * Random per process, so that no outsider can use the placeholder to place the
 * secret somewhere.
 */
export const PLACEHOLDER = `sluice-${randomBase62(32)}`;

type Fetchable = string | URL | Request;

/** Bytes that a library may buffer before it reports an event, for each stage of its reader. */
const READ_AHEAD_BYTES = 2 * 1_024 * 1_024;

/** The request settings that all requests of one attempt share. */
export interface FetchTerms extends Pick<
  UpstreamRequest,
  | "pool"
  | "reach"
  | "proxy"
  | "timeout"
  | "credential"
  | "hidesAddress"
  | "exchange"
  | "options"
  | "isStream"
  | "endsAt"
  | "signal"
> {
  readonly authorize: Authorize;
  /** Called first with every response and the request body; may throw to replace the response. */
  readonly onReply: (reply: UpstreamReply, sent?: string) => Promise<void>;
  /** Maximum size of a stream event. */
  readonly maxEventBytes: number;
}

/**
 * A standard `fetch` for libraries on our egress: with its time and size
 * limits. The library gets only a placeholder for the secret.
 */
export class FetchSession {
  readonly #egress: Egress;
  readonly #terms: FetchTerms;
  readonly #replies = new Set<UpstreamReply>();
  #unheardBytes = 0;

  constructor(egress: Egress, terms: FetchTerms) {
    this.#egress = egress;
    this.#terms = terms;
  }

  readonly fetch = async (input: Fetchable, init?: RequestInit): Promise<Response> => {
    const { onReply, maxEventBytes: _, ...terms } = this.#terms;
    const request =
      input instanceof Request ? new Request(input, init) : new Request(String(input), init);
    // Before the body is read, because its type is known only now.
    const headers = headersOf(request);
    const sent = request.body === null ? undefined : await request.text();
    const reply = await this.#egress.send({
      ...terms,
      url: new URL(request.url),
      method: methodOf(request),
      headers,
      ...(sent === undefined ? {} : { body: sent }),
      placeholder: PLACEHOLDER,
    });
    this.#replies.add(reply);
    await onReply(reply, sent);
    const body = terms.isStream ? this.#bodyOf(reply) : await this.#whole(reply);
    return new Response(reply.status === 204 ? null : body, {
      status: reply.status,
      headers: [...reply.headers],
    });
  };

  /** The reader has produced an event. */
  heard(): void {
    this.#unheardBytes = 0;
  }

  /** Releases all responses; aborts those that are still running. */
  close(): void {
    for (const reply of this.#replies) reply.close();
    this.#replies.clear();
  }

  async #whole(reply: UpstreamReply): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await reply.readAll();
    this.#letGo(reply);
    return new Uint8Array(bytes);
  }

  /** The reader pulls: between two pulls the upstream is paused. */
  #bodyOf(reply: UpstreamReply): ReadableStream<Uint8Array> {
    let wanted = Promise.withResolvers<void>();
    let isPumping = false;
    const pump = async (controller: ReadableStreamDefaultController): Promise<void> => {
      try {
        await reply.pump((piece) => {
          this.#count(piece);
          wanted = Promise.withResolvers();
          controller.enqueue(piece);
          return wanted.promise;
        });
        controller.close();
      } catch (cause) {
        controller.error(cause);
      } finally {
        this.#letGo(reply);
      }
    };
    return new ReadableStream(
      {
        pull(controller) {
          wanted.resolve();
          if (!isPumping) void pump(controller);
          isPumping = true;
        },
        cancel: () => this.#letGo(reply),
      },
      { highWaterMark: 0 },
    );
  }

  /** Limits an event's size, because libraries buffer events of any length. */
  #count(piece: Uint8Array): void {
    this.#unheardBytes += piece.length;
    if (this.#unheardBytes <= this.#terms.maxEventBytes + READ_AHEAD_BYTES) return;
    throw new GatewayError("upstream_failed", "The upstream sent an event that is too long.");
  }

  #letGo(reply: UpstreamReply): void {
    this.#replies.delete(reply);
    reply.close();
  }
}

function methodOf({ method }: Request): "GET" | "POST" {
  if (method === "GET" || method === "POST") return method;
  throw new GatewayError("internal", "The gateway failed to handle this request.", {
    cause: new Error(`A library tried to send a ${method} request.`),
  });
}

/** The gateway chooses connection and encoding, and hides which library sends the request. */
const GATEWAY_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  "user-agent",
]);

function headersOf(request: Request): Record<string, string> {
  return Object.fromEntries([...request.headers].filter(([name]) => !GATEWAY_HEADERS.has(name)));
}
