import type { Authorize } from "#core/authorize.ts";
import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "./egress.ts";

/** Nobody outside this process knows it, so nobody can have the secret put where they want it. */
export const PLACEHOLDER = `sluice-${randomBase62(32)}`;

type Fetchable = string | URL | Request;

/** What a library may have taken in before it makes something of it: a piece for each step of its reading. */
const READ_AHEAD_BYTES = 2 * 1_024 * 1_024;

/** What all requests of one attempt share. */
export interface FetchTerms extends Pick<
  UpstreamRequest,
  | "pool"
  | "reach"
  | "credential"
  | "hidesAddress"
  | "exchange"
  | "options"
  | "isStream"
  | "endsAt"
  | "signal"
> {
  readonly authorize: Authorize;
  /** Sees every answer first, with the body that was sent, and may throw in its place. */
  readonly onReply: (reply: UpstreamReply, sent?: string) => Promise<void>;
  /** Of a stream. */
  readonly maxEventBytes: number;
}

/**
 * `fetch`, as libraries know it, over our own way out: with its deadlines and
 * caps, and without the secret, which the library only has a placeholder for.
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
    // Before the body is read: its kind is known from it.
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

  /** The reader made something of what came. */
  heard(): void {
    this.#unheardBytes = 0;
  }

  /** Lets go of everything; cuts what is still answering. */
  close(): void {
    for (const reply of this.#replies) reply.close();
    this.#replies.clear();
  }

  async #whole(reply: UpstreamReply): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await reply.readAll();
    this.#letGo(reply);
    return new Uint8Array(bytes);
  }

  /** Pulled by its reader: between two pulls the upstream is held back. */
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

  /** Libraries gather an event however long it is. */
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
    cause: new Error(`A library wants to send a ${method}.`),
  });
}

/** Connection and coding are ours to choose, and libraries need not be told apart. */
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
