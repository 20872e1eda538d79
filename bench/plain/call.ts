import { checkChat, findUsage, type ChatRequest, type Tokens } from "./check.ts";
import type { Breaker, Pace, Quota } from "./limits.ts";
import type { UpstreamConnection, UpstreamListener, UpstreamPool } from "./upstream-pool.ts";
import type { Entry } from "./writer-thread.ts";
import type { Writer } from "./writer.ts";

export interface PlainKey {
  readonly id: number;
  readonly userId: number;
  readonly pace: Pace;
  readonly quota: Quota;
}

interface PlainRoute {
  readonly channel: string;
  readonly provider: string;
  /** The upstream's request up to its length. */
  readonly head: string;
  /** Nano-dollars per token. */
  readonly inputPrice: number;
  readonly outputPrice: number;
  readonly breaker: Breaker;
}

export interface PlainGateway {
  /** Duties above this number are left out. */
  readonly rung: number;
  readonly pool: UpstreamPool;
  findKey(secret: string): PlainKey | undefined;
  readonly routes: ReadonlyMap<string, readonly PlainRoute[]>;
  /** For the rungs that know no route. */
  readonly head: string;
  readonly live: Set<PlainCall>;
  readonly writer: Writer | undefined;
  newId(nowMs: number): string;
}

const MAX_CALL_MS = 600_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const ASSUMED_OUTPUT_TOKENS = 1_000;
const DONE = Buffer.from("data: [DONE]");
const USAGE = Buffer.from('"usage":{');

/** One call: its methods are its steps, and events call them. */
export class PlainCall implements UpstreamListener {
  readonly #request: Request;
  readonly #gateway: PlainGateway;
  readonly #resolve: (response: Response) => void;
  readonly #at = Date.now();
  readonly #startedAt = performance.now();
  readonly #id: string;
  #key: PlainKey | undefined;
  #text = "";
  #asked: ChatRequest | undefined;
  #routes: readonly PlainRoute[] | undefined;
  #route: PlainRoute | undefined;
  #attempts = 0;
  #tokens = 0;
  #held = 0;
  #firstByteAt = 0;
  #connection: UpstreamConnection | undefined;
  #isStream = false;
  /** Of an answer that may not leave yet. */
  #pieces: Buffer[] = [];
  #sink: StreamSink | undefined;
  #streamed: PromiseWithResolvers<void> | undefined;
  #isHeld = false;
  #usage: Tokens | undefined;
  #isOver = false;

  constructor(request: Request, gateway: PlainGateway, resolve: (response: Response) => void) {
    this.#request = request;
    this.#gateway = gateway;
    this.#resolve = resolve;
    this.#id = gateway.newId(this.#at);
  }

  start(): void {
    const { headers } = this.#request;
    if (this.#gateway.rung >= 2) {
      const credential = headers.get("authorization") ?? "";
      const secret = credential.startsWith("Bearer ") ? credential.slice(7) : "";
      this.#key = this.#gateway.findKey(secret || (headers.get("x-api-key") ?? ""));
      if (this.#key === undefined) return this.#refuse(401, "invalid_api_key");
      if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES)
        return this.#refuse(413, "too_large");
    }
    this.#request.text().then(
      (text) => this.#read(text),
      () => this.#refuse(400, "body"),
    );
  }

  #read(text: string): void {
    this.#text = text;
    if (this.#gateway.rung >= 2) {
      const asked = checkChat(text);
      if (typeof asked === "string") return this.#refuse(400, asked);
      this.#asked = asked;
    }
    if (this.#gateway.rung >= 3 && !this.#takeLimits()) return;
    if (this.#gateway.rung >= 4) {
      this.#routes = this.#gateway.routes.get(this.#asked?.model ?? "");
      if (this.#routes === undefined) return this.#end(404, "model");
      this.#gateway.live.add(this);
      this.#request.signal.addEventListener("abort", () => this.#hangUp());
    }
    if (this.#gateway.rung >= 5 && this.#asked?.isStream === true) this.#writeHold();
    this.#send();
  }

  #takeLimits(): boolean {
    const { quota, pace } = this.#key ?? {};
    const inputTokens = Math.ceil(this.#text.length / 3);
    const outputTokens = this.#asked?.maxTokens ?? ASSUMED_OUTPUT_TOKENS;
    this.#tokens = inputTokens + outputTokens;
    if (pace?.take(this.#startedAt, this.#tokens) === false) {
      this.#refuse(429, "rate_limited");
      return false;
    }
    const estimate = inputTokens * ESTIMATE_PRICE + outputTokens * ESTIMATE_PRICE;
    if (quota?.hold(estimate) === false) {
      pace?.release(this.#tokens);
      this.#refuse(402, "out_of_quota");
      return false;
    }
    this.#held = estimate;
    return true;
  }

  /** On the first route that may be tried, or the next one after a failure. */
  #send(): void {
    let head = this.#gateway.head;
    if (this.#routes !== undefined) {
      this.#route = this.#nextRoute(this.#routes);
      if (this.#route === undefined) return this.#end(503, "unavailable");
      this.#route.breaker.inFlight++;
      head = this.#route.head;
    }
    const request = `${head}${Buffer.byteLength(this.#text)}\r\n\r\n${this.#text}`;
    this.#gateway.pool.send(request, this, (connection) => {
      if (this.#isOver) connection.abandon();
      else this.#connection = connection;
    });
  }

  #nextRoute(routes: readonly PlainRoute[]): PlainRoute | undefined {
    for (; this.#attempts < routes.length; this.#attempts++) {
      const route = routes[this.#attempts];
      if (route?.breaker.mayTry(this.#startedAt) !== true) continue;
      this.#attempts++;
      return route;
    }
    return undefined;
  }

  head(status: number, isStream: boolean): void {
    this.#firstByteAt = performance.now();
    this.#isStream = isStream;
    if (status !== 200) return this.failed();
    if (isStream && (this.#isHeld || this.#gateway.rung < 5)) this.#openStream();
  }

  piece(bytes: Buffer): void {
    if (!this.#isStream || this.#sink === undefined || this.#isLast(bytes)) {
      this.#pieces.push(bytes);
      return;
    }
    this.#sink.write(bytes);
    this.#sink.flush();
  }

  /** The end of a stream waits for its settlement. */
  #isLast(bytes: Buffer): boolean {
    if (this.#gateway.rung < 5) return false;
    if (this.#usage === undefined && bytes.includes(USAGE)) {
      this.#usage = findUsage(bytes.toString("latin1"));
    }
    return bytes.includes(DONE);
  }

  end(): void {
    this.#connection = undefined;
    this.#route?.breaker.succeeded();
    if (this.#isStream) return this.#settle();
    const [first, ...more] = this.#pieces;
    const body = more.length === 0 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [body];
    if (this.#gateway.rung >= 5) this.#usage = findUsage(body.toString("latin1"));
    this.#settle();
  }

  failed(): void {
    this.#connection?.abandon();
    this.#connection = undefined;
    this.#route?.breaker.failed(this.#startedAt);
    const mayRetry = this.#routes !== undefined && this.#attempts < this.#routes.length;
    if (mayRetry && this.#sink === undefined && !this.#isOver) this.#send();
    else this.#end(502, "upstream_failed");
  }

  checkDeadline(now: number): void {
    if (now - this.#startedAt < MAX_CALL_MS) return;
    this.#connection?.abandon();
    this.#end(504, "timeout");
  }

  #writeHold(): void {
    const { writer } = this.#gateway;
    writer?.write([this.#entry("hold", this.#held), null], () => {
      this.#isHeld = true;
      if (this.#isStream && !this.#isOver) this.#openStream();
    });
  }

  #openStream(): void {
    this.#streamed = Promise.withResolvers<void>();
    const { promise } = this.#streamed;
    const stream = new ReadableStream({
      type: "direct",
      pull: async (sink) => {
        this.#sink = sink;
        const waiting = this.#pieces;
        this.#pieces = [];
        for (const bytes of waiting) this.piece(bytes);
        await promise;
        sink.close();
      },
    } satisfies Bun.DirectUnderlyingSource<Uint8Array>);
    this.#resolve(new Response(stream, { headers: STREAM_HEADERS }));
  }

  /** Charges the call, and lets the rest of the answer go once that is on disk. */
  #settle(): void {
    const { writer } = this.#gateway;
    if (writer === undefined) return this.#deliver(0);
    const { input = 0, output = 0 } = this.#usage ?? {};
    const { inputPrice = 0, outputPrice = 0 } = this.#route ?? {};
    const cost = input * inputPrice + output * outputPrice;
    const journal = this.#gateway.rung >= 6 ? this.#journalRow(cost) : null;
    writer.write([this.#entry("settle", cost), journal], () => this.#deliver(cost));
  }

  #entry(kind: Entry[1], amount: number): Entry {
    const { input = 0, output = 0 } = this.#usage ?? {};
    const userId = this.#key?.userId ?? 0;
    return [this.#id, kind, amount, userId, this.#at, this.#asked?.model ?? "", input, output];
  }

  /** As many columns as the journal of the real gateway has. */
  #journalRow(cost: number): (string | number | null)[] {
    const { input = 0, output = 0 } = this.#usage ?? {};
    const { channel = "", provider = "", inputPrice = 0, outputPrice = 0 } = this.#route ?? {};
    const firstByteMs = Math.round(this.#firstByteAt - this.#startedAt);
    const durationMs = Math.round(performance.now() - this.#startedAt);
    return [
      this.#id,
      this.#at,
      this.#key?.userId ?? 0,
      this.#key?.id ?? 0,
      null,
      this.#asked?.model ?? "",
      this.#asked?.model ?? "",
      channel,
      provider,
      "chat",
      "/v1/chat/completions",
      "completed",
      null,
      this.#isStream ? 1 : 0,
      input,
      output,
      0,
      0,
      0,
      0,
      cost,
      durationMs,
      firstByteMs,
      `[{"channel":"${channel}","credential":"","status":200,"durationMs":${firstByteMs}}]`,
      "[]",
      `[{"kind":"input","count":${input},"rate":${inputPrice}},` +
        `{"kind":"output","count":${output},"rate":${outputPrice}}]`,
    ];
  }

  #deliver(cost: number): void {
    this.#release(cost);
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isStream) {
      const headers = { ...WHOLE_HEADERS, "x-request-id": this.#id };
      this.#resolve(new Response(this.#pieces[0], { headers }));
      return;
    }
    for (const bytes of this.#pieces) this.#sink?.write(bytes);
    this.#streamed?.resolve();
  }

  #release(cost: number): void {
    this.#gateway.live.delete(this);
    if (this.#held === 0) return;
    const { input = 0, output = 0 } = this.#usage ?? {};
    this.#key?.pace.release(this.#tokens - input - output);
    this.#key?.quota.settle(this.#held, cost);
    this.#held = 0;
  }

  #end(status: number, code: string): void {
    this.#release(0);
    this.#streamed?.resolve();
    this.#refuse(status, code);
  }

  #refuse(status: number, code: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = { message: code, type: "invalid_request_error", code };
    this.#resolve(Response.json({ error }, { status }));
  }

  #hangUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection?.abandon();
    this.#release(0);
    this.#streamed?.resolve();
  }
}

interface StreamSink {
  write(bytes: Uint8Array): unknown;
  flush(): unknown;
}

const ESTIMATE_PRICE = 600;
const WHOLE_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};
