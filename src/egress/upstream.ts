import type { Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { ResponseHead } from "#lib/http1.ts";
import { Connections } from "./connections.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Exchange } from "./exchange.ts";

export interface UpstreamLimits {
  readonly connectMs: number;
  /** Until the status line of a stream, and of a whole answer. */
  readonly firstByteMs: number;
  readonly unaryMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
}

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly body?: string;
  /** Whose connections to use: no two channels share any. */
  readonly pool: string;
  readonly credential: Credential | undefined;
  /** Turns the opened secret into headers. */
  readonly authorize: (secret: string) => Readonly<Record<string, string>>;
  readonly isStream: boolean;
  /** The caller hung up, or the gateway gave up. */
  readonly signal?: AbortSignal;
}

/** Takes a piece of a body. A promise asks for no more until it is kept. */
export type OnPiece = (bytes: Uint8Array) => void | Promise<void>;

/** An upstream's answer; whoever holds it must `close` it. */
export interface UpstreamReply extends ResponseHead {
  /** Hands over the body as it comes. Settles at its end, or with what broke it. */
  pump(onPiece: OnPiece): Promise<void>;
  readAll(): Promise<Uint8Array>;
  /** Lets go of the connection; cuts it when the answer is not at its end. */
  close(): void;
}

/** How upstreams are reached. */
export interface Egress {
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  /** Ends every exchange under way: whoever reads from one is thrown the reason. */
  abortAll(reason: GatewayError): void;
  /** Closes what is idle. */
  close(): void;
}

/**
 * The only way to an upstream: every phase has a deadline, every body a cap,
 * redirects are not followed (they would carry the credential to another
 * host), and the credential is opened here, for this one request.
 */
export function openEgress(limits: UpstreamLimits, deadlines = new Deadlines()): Egress {
  const connections = new Connections(deadlines);
  const open = new Set<Exchange>();
  return {
    async send(request) {
      const exchange = new Exchange(limits, deadlines, request, open);
      try {
        await exchange.begin(connections, requestText(request));
        refuseDetours(exchange);
        return exchange;
      } catch (cause) {
        exchange.close();
        throw GatewayError.from(cause);
      }
    },
    abortAll(reason) {
      for (const exchange of open) exchange.abort(reason);
    },
    close: () => connections.close(),
  };
}

function requestText(request: UpstreamRequest): string {
  const { url, method, body, credential, isStream } = request;
  const headers: Record<string, string> = {
    host: url.host,
    "user-agent": "sluice",
    accept: isStream ? "text/event-stream" : "application/json",
    "accept-encoding": "identity",
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    ...(credential === undefined ? {} : request.authorize(credential.open())),
  };
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const name in headers) head += `${name}: ${fieldValue(headers[name] ?? "")}\r\n`;
  return `${head}\r\n${body ?? ""}`;
}

/** A line break in a credential would begin a header of its own. */
function fieldValue(value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new GatewayError(
      "upstream_auth",
      "The gateway's credential for this upstream is malformed.",
    );
  }
  return value;
}

function refuseDetours({ status, headers }: ResponseHead): void {
  if (status >= 300 && status < 400) {
    throw new GatewayError("upstream_failed", "The upstream answered with a redirect.");
  }
  const coding = headers.get("content-encoding");
  if (coding !== undefined && coding.toLowerCase() !== "identity") {
    throw new GatewayError("upstream_failed", "The upstream compressed its answer unasked.");
  }
}
