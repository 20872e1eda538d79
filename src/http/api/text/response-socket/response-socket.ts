import { GatewayError, invalid } from "#core/error.ts";
import type { RequestBody } from "#core/style.ts";
import { ulid } from "#lib/ids.ts";
import { outlineJson, setMembers, type JsonObject } from "#lib/json.ts";
import type { Watched } from "#lib/deadlines.ts";
import type { Sink } from "#lib/push-stream.ts";
import { SseDecoder } from "#lib/sse.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { authenticateKey } from "#http/authenticate.ts";
import { readBody } from "#http/body.ts";
import type { Client } from "#http/client.ts";
import type { SocketDeps } from "#http/deps/sockets.ts";
import type { OpenSocket } from "#http/open-sockets.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange } from "#http/routes.ts";
import { CLOSE, type SocketPeer, type SocketProtocol } from "#http/socket.ts";
import { errorMessage, eventMessage, steerRefusal } from "./messages.ts";
import { prepareTurn, serveTurn } from "./serve-turn.ts";
import { SocketResponses } from "./socket-responses.ts";
import { TurnExchange } from "./turn-exchange.ts";

/** A requested response. Responses of one lane run one after another. */
interface RequestedValue {
  readonly lane: string | undefined;
  readonly body: RequestBody;
  /** Generates nothing: only stores the request, so that a later one can continue it. */
  readonly isPreparation: boolean;
}

interface Closing {
  readonly code: number;
  readonly reason: string;
}

const MAX_WAITING = 64;
const MAX_LANE_CHARS = 256;

/**
 * The Responses API on one WebSocket connection. Each `response.create` is a separate call, handled
 * like a POST: admitted, charged and journalled by itself.
 */
export class ResponseSocket implements SocketProtocol, OpenSocket, Watched {
  readonly keyId: number;
  dueAt = Infinity;
  readonly #deps: SocketDeps;
  readonly #request: Request;
  readonly #chosenFacts: Exchange["chosenFacts"];
  readonly #client: Client;
  readonly #kept: SocketResponses;
  readonly #waiting: RequestedValue[] = [];
  #waitingChars = 0;
  /** Lanes with a running response, each with its abort controller. */
  readonly #running = new Map<string | undefined, AbortController>();
  #peer: SocketPeer | undefined;
  /** Set when no more requests are accepted: the connection closes after the last response. */
  #closing: Closing | undefined;
  #openedAt = 0;
  #activeAt = 0;
  /** Unix ms since when the client has not read the sent data. */
  #behindSince: number | undefined;

  constructor(exchange: Exchange, deps: SocketDeps) {
    const { id, userId } = requireKey(exchange);
    const { url, headers } = exchange.request;
    this.keyId = id;
    this.#deps = deps;
    // The runtime releases the original request when the connection becomes a WebSocket.
    this.#request = new Request(url, { headers: [...headers] });
    this.#client = exchange.client;
    this.#chosenFacts = exchange.chosenFacts;
    this.#kept = new SocketResponses(deps.responses, userId);
  }

  opened(peer: SocketPeer): void {
    this.#peer = peer;
    this.#openedAt = this.#activeAt = this.#now();
    this.#deps.relay.delivery.deadlines.watch(this);
    this.#rearm();
    this.#deps.sockets.enter(this);
  }

  received(message: string | Uint8Array): void {
    this.#activeAt = this.#now();
    if (typeof message !== "string") {
      this.#close({
        code: CLOSE.unsupported,
        reason: "Send text messages; binary messages are not supported.",
      });
      return;
    }
    let lane: string | undefined;
    try {
      const body = readBody(message, this.#deps.limits.jsonDepth);
      lane = laneOf(body.json);
      this.#take(body, lane);
    } catch (cause) {
      this.#tell(GatewayError.from(cause), lane);
    }
    this.#rearm();
  }

  closed(): void {
    this.#peer = undefined;
    this.#waiting.length = 0;
    for (const ending of this.#running.values()) ending.abort();
    this.#deps.relay.delivery.deadlines.release(this);
    this.#deps.sockets.leave(this);
    this.#kept.clear();
  }

  /** Ending the connection also ends its running calls. */
  end(reason: GatewayError): void {
    if (this.#closing !== undefined) return;
    this.#tell(reason, undefined);
    this.#close({ code: CLOSE.policy, reason: reason.message });
  }

  drain(): void {
    this.#close({ code: CLOSE.goingAway, reason: "The gateway is shutting down." });
  }

  onDue(now: number): void {
    const { socketMs, socketIdleMs, callerStallMs } = this.#deps.limits;
    if (this.#behindSince !== undefined && now >= this.#behindSince + callerStallMs) {
      this.#peer?.terminate();
    } else if (now >= this.#openedAt + socketMs) this.#endOld();
    else if (this.#isIdle && now >= this.#activeAt + socketIdleMs) {
      this.#close({ code: CLOSE.normal, reason: "The connection was idle." });
    }
    this.#rearm();
  }

  #take({ text, outline, json }: RequestBody, lane: string | undefined): void {
    switch (json["type"]) {
      case "response.create":
        this.#enqueue({
          lane,
          body: withoutEnvelope({ text, outline, json }),
          isPreparation: isPreparation(json),
        });
        break;
      case "response.steer":
        void this.#send(steerRefusal(json));
        break;
      default:
        throw invalid("type", "'type' must be 'response.create'.");
    }
  }

  #enqueue(asked: RequestedValue): void {
    if (this.#closing !== undefined) {
      throw new GatewayError("unavailable", `${this.#closing.reason} Open another WebSocket.`);
    }
    const chars = asked.body.text.length;
    const isTooMuch =
      this.#waiting.length > 0 && this.#waitingChars + chars > this.#deps.limits.bodyBytes;
    if (this.#waiting.length >= MAX_WAITING || isTooMuch) {
      throw new GatewayError(
        "rate_limited",
        `Too many responses wait on this WebSocket (${this.#waiting.length}). Retry after one is complete.`,
      );
    }
    this.#waiting.push(asked);
    this.#waitingChars += chars;
    this.#next();
  }

  /** Starts queued responses on free lanes, up to the limit of concurrent lanes. */
  #next(): void {
    while (this.#running.size < this.#deps.limits.socketLanes) {
      const at = this.#waiting.findIndex(({ lane }) => !this.#running.has(lane));
      const [asked] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (asked === undefined) break;
      this.#waitingChars -= asked.body.text.length;
      void this.#run(asked);
    }
  }

  async #run(asked: RequestedValue): Promise<void> {
    const { lane, body } = asked;
    const ending = new AbortController();
    this.#running.set(lane, ending);
    let isKept = false;
    try {
      isKept = await this.#serve(asked, ending.signal);
    } catch (cause) {
      this.#fail(GatewayError.from(cause), lane);
    } finally {
      const previous = textOf(body.json["previous_response_id"]);
      // A conversation that could not be continued is no longer kept.
      if (!isKept && previous !== undefined) this.#kept.forget(previous);
      this.#running.delete(lane);
      this.#activeAt = this.#now();
      if (this.#peer !== undefined) this.#next();
      this.#closeIfOver();
      this.#rearm();
    }
  }

  /** The key is looked up for each response: it may have been disabled or have expired. */
  async #serve(
    { lane, body, isPreparation }: RequestedValue,
    signal: AbortSignal,
  ): Promise<boolean> {
    const deps = this.#deps;
    const key = await authenticateKey(this.#request, "text", deps, {
      clientOf: () => this.#client,
    });
    const id = ulid(deps.clock.now());
    const exchange = new TurnExchange(this.#request, this.#client, {
      id,
      key,
      body,
      signal,
      chosenFacts: this.#chosenFacts,
    });
    const way = { kept: this.#kept, sink: this.#sinkOf(lane) };
    try {
      return isPreparation
        ? await prepareTurn(exchange, body, way, deps)
        : await serveTurn(exchange, body, way, deps);
    } catch (cause) {
      exchange.fail(errorMessage(GatewayError.from(cause), lane));
      throw cause;
    }
  }

  #sinkOf(lane: string | undefined): Sink {
    // The size is already limited where the upstream response is read.
    const events = new SseDecoder(Infinity);
    return {
      write: (piece) => {
        let behind: void | Promise<void> = undefined;
        const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
        for (const { data } of events.push(bytes)) {
          if (data !== STREAM_END) behind = this.#send(eventMessage(data, lane));
        }
        return behind instanceof Promise ? this.#whileBehind(behind) : undefined;
      },
    };
  }

  async #whileBehind(behind: Promise<void>): Promise<void> {
    this.#behindSince ??= this.#now();
    this.#rearm();
    try {
      await behind;
    } finally {
      this.#behindSince = undefined;
      this.#rearm();
    }
  }

  #fail(error: GatewayError, lane: string | undefined): void {
    if (error.fault.blame !== "client") this.#deps.onError(error, "");
    this.#tell(error, lane);
    if (error.code === "unauthenticated") {
      this.#close({ code: CLOSE.policy, reason: "The API key is not valid any more." });
    }
  }

  #tell(error: GatewayError, lane: string | undefined, code?: string): void {
    if (error.code !== "canceled") void this.#send(errorMessage(error, lane, code));
  }

  #send(message: string): void | Promise<void> {
    return this.#peer?.send(message);
  }

  get #isIdle(): boolean {
    return this.#running.size === 0 && this.#waiting.length === 0;
  }

  #endOld(): void {
    if (this.#closing !== undefined) return;
    const reason = "This WebSocket has been open for as long as it may be.";
    const error = new GatewayError("invalid_request", `${reason} Open another one to continue.`);
    this.#tell(error, undefined, "websocket_connection_limit_reached");
    this.#close({ code: CLOSE.normal, reason });
  }

  /** Accepts no more requests, and closes the connection when the running responses end. */
  #close(closing: Closing): void {
    this.#closing ??= closing;
    for (const { lane } of this.#waiting.splice(0)) {
      this.#tell(new GatewayError("unavailable", this.#closing.reason), lane);
    }
    this.#waitingChars = 0;
    this.#closeIfOver();
  }

  #closeIfOver(): void {
    if (this.#closing === undefined || !this.#isIdle) return;
    this.#peer?.close(this.#closing.code, this.#closing.reason.slice(0, MAX_REASON));
  }

  #rearm(): void {
    const { socketMs, socketIdleMs, callerStallMs } = this.#deps.limits;
    const stalled = this.#behindSince === undefined ? Infinity : this.#behindSince + callerStallMs;
    const idle = this.#isIdle ? this.#activeAt + socketIdleMs : Infinity;
    const old = this.#closing === undefined ? this.#openedAt + socketMs : Infinity;
    this.dueAt = Math.min(stalled, idle, old);
  }

  #now(): number {
    return this.#deps.relay.delivery.deadlines.now();
  }
}

/** Final marker that some servers of this style send. */
const STREAM_END = "[DONE]";
/** A WebSocket close reason has at most 123 bytes. */
const MAX_REASON = 120;

function laneOf({ stream_id: lane }: JsonObject): string | undefined {
  if (lane === undefined || lane === null) return undefined;
  if (typeof lane === "string" && lane !== "" && lane.length <= MAX_LANE_CHARS) return lane;
  throw invalid("stream_id", `'stream_id' must be a text of 1 to ${MAX_LANE_CHARS} characters.`);
}

/** `prewarm` also requests no output, whether `generate` is set or not. */
function isPreparation({ generate, prompt_cache_options: options }: JsonObject): boolean {
  return generate === false || memberOf(options, "prewarm") === true;
}

/** The body of the same request over HTTP. Envelope members are not sent to upstreams. */
function withoutEnvelope({ text, outline, json }: RequestBody): RequestBody {
  const { type: _type, stream_id: _lane, generate: _generate, ...rest } = json;
  const edits = { type: undefined, stream_id: undefined, generate: undefined, stream: true };
  const edited = setMembers(text, outline, edits);
  return { text: edited, outline: outlineJson(edited, Infinity), json: { ...rest, stream: true } };
}
