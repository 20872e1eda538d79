import type { AttemptRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { givesImages } from "#core/model.ts";
import type { Channel, ChannelOptions, Credential } from "#core/channel.ts";
import type { RateReservation } from "#core/limits.ts";
import { accountOf } from "#core/reasoning-home.ts";
import type { OutboundStyle } from "#core/style.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { FetchSession } from "#egress/fetch.ts";
import type { CancelSignal } from "#lib/cancellation.ts";
import type { Clock } from "#lib/clock.ts";
import type { Fields } from "#lib/http1.ts";
import type { Body } from "#lib/pieces.ts";
import type { Mutable } from "#lib/values.ts";
import { hiddenLinksIn } from "#styles/scrub.ts";
import { asGatewayError, parseError } from "#styles/upstream-error.ts";
import type { Served } from "../call.ts";
import { disclose, sentIn } from "./disclose.ts";
import { keptFailure } from "./kept-failure.ts";
import {
  reserveOnChannel,
  release,
  type RateReservationDeps,
} from "../metering/rate-reservations.ts";
import type { Health, Visit } from "./health.ts";
import { addressOf, upstreamTerms, type UpstreamTerms } from "./upstream-terms.ts";
import { allResting, type Candidate, type Plan, type Route } from "../routing/route.ts";
import type { Settlement } from "../metering/settlement.ts";

/** The dependencies of one attempt. */
export interface TryDeps {
  readonly egress: Egress;
  readonly health: Health;
  readonly clock: Clock;
  readonly delivery: { readonly maxEventBytes: number };
  /** Maximum duration of a call with all its attempts. */
  readonly maxCallMs: number;
  /** The `traceparent` of an attempt; absent if upstreams get none. */
  readonly traceparentOf?: (call: Served, attempt: number) => string;
}

export interface AttemptDeps extends TryDeps, Pick<RateReservationDeps, "limiter" | "router"> {
  readonly maxAttempts: number;
}

/**
 * An upstream that responds. `release` ends its slot on the channel, with the failure of the
 * response: a call counts at its end.
 */
export interface Begun<T, R extends Candidate = Route> {
  readonly route: R;
  readonly answer: T;
  /** The credential within the channel, from `accountOf`. */
  readonly account: string;
  release(error?: GatewayError): void;
  /** A failure of the response in the form that the client may see. */
  disclose(error: GatewayError): GatewayError;
  /** The same without the other channels, which a long response must not keep in memory. */
  readonly attempt: StreamedAttempt;
  /**
   * The next channel that responds, after this response failed without content. Throws the client's
   * error if no channel is left.
   */
  instead(cause: unknown): Promise<Begun<T, R>>;
}

/** The part of an attempt that a stream needs. */
export type StreamedAttempt = Pick<Begun<unknown>, "release" | "disclose">;

/** Sends a call along a route and waits until the upstream starts to respond, or throws. */
export type Begin<T, R extends Candidate = Route> = (
  route: R,
  transport: UpstreamTransport,
) => Promise<T>;

/** The transport to a route's upstream, with the credential of this attempt. */
export interface UpstreamTransport {
  /** Label of the credential; empty if the channel has none. */
  readonly credential: string;
  /** Distinguishes it from the channel's other credentials. */
  readonly account: string;
  /** POSTs to the route's endpoint. */
  post(route: Addressed, request: Outgoing<Body>): Promise<UpstreamReply>;
  /** The same for a complete response, which is closed after it was read. */
  ask<T>(route: Addressed, request: Outgoing, reader: WholeReader<T>): Promise<T>;
  /** GETs a path relative to the channel's address. */
  get(route: Addressed, path: string): Promise<UpstreamReply>;
  /** For the route's adapter, which has its own endpoints. */
  openSession(): FetchSession;
}

/** Reads a complete response, or decides what follows its refusal. */
export interface WholeReader<T> {
  read(body: Uint8Array): T;
  /** Asks again after a refusal, or throws it. */
  refused(cause: unknown): Promise<T>;
}

/** A route over HTTP. */
export interface Addressed extends Candidate {
  readonly endpoint: Addressee;
}

/** The part of an endpoint that an attempt needs. */
interface Addressee {
  /** Relative to the channel's address; some vendors put the model in it. */
  readonly path: string | ((model: string, stream: boolean, options: ChannelOptions) => string);
  readonly style: { readonly outbound: Pick<OutboundStyle["outbound"], "parseError"> };
}

export interface Outgoing<B extends Body = string> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** Relative to the channel's address, if it differs from the endpoint's default. */
  readonly path?: string | undefined;
}

/**
 * Returns the first channel that starts to respond. The error table decides after a failure: try
 * the next credential, the next channel, or return the error to the client.
 */
export function callWithFailover<T, R extends Destination>(
  call: Served,
  plan: Plan<R>,
  settlement: Settlement,
  deps: AttemptDeps,
  begin: Begin<T, R>,
): Promise<Begun<T, R>> {
  return new Failover<T, R>(call, plan, settlement, deps, begin).next();
}

/** The attempts of one call. */
class Failover<T, R extends Destination> implements Instead<T, R> {
  readonly #call: Served;
  readonly #plan: Plan<R>;
  readonly #settlement: Settlement;
  readonly #deps: AttemptDeps;
  readonly #begin: Begin<T, R>;
  #attempts = 0;
  #last: GatewayError | undefined;
  /** A refusal that the request may have caused: a second one ends the call. */
  #refusal: GatewayError | undefined;
  #waits: Map<Channel, number> | undefined;
  #passedOver: R[] | undefined;
  /** The current route, and its credentials that were tried. */
  #route: R | undefined;
  #tried: Set<Credential> | undefined;
  #credential: Credential | undefined;
  /** Number of routes of the plan, or of the skipped ones, that were already considered. */
  #position = 0;
  /** No other route is left, so unavailable ones are tried. */
  #anyway = false;

  constructor(
    call: Served,
    plan: Plan<R>,
    settlement: Settlement,
    deps: AttemptDeps,
    begin: Begin<T, R>,
  ) {
    this.#call = call;
    this.#plan = plan;
    this.#settlement = settlement;
    this.#deps = deps;
    this.#begin = begin;
  }

  async next(): Promise<Begun<T, R>> {
    const deps = this.#deps;
    while (this.#attempts < deps.maxAttempts) {
      const route = this.#route ?? this.#advance();
      if (route === undefined) break;
      const credential = this.#nextCredential(route);
      if (credential === undefined) {
        this.#route = undefined;
        continue;
      }
      const reservation = reserveOnChannel(route, this.#call, deps);
      if (reservation !== undefined && !(await this.#enterLimits(reservation, route))) {
        this.#route = undefined;
        continue;
      }
      this.#attempts++;
      const attempt = this.#attemptOn(route, credential);
      try {
        const answer = await this.#begin(route, attempt);
        attempt.noteBegin();
        if (reservation !== undefined) this.#settlement.attachChannelReservation(reservation);
        return new BegunAttempt(answer, attempt, this);
      } catch (cause) {
        if (reservation !== undefined) release(reservation, 0, deps.limiter);
        this.#note(attempt.noteFailure(cause));
      }
      this.#leaveRouteOrCredential();
    }
    if (this.#last !== undefined) throw this.#told(this.#last);
    throw allResting(this.#plan.routes, this.#deps.health, this.#call.key, this.#waits);
  }

  /** Undefined if none is left; `NO_CREDENTIAL` if the channel needs none. */
  #nextCredential(route: R): Credential | typeof NO_CREDENTIAL | undefined {
    const tried = this.#tried ?? NO_CREDENTIALS;
    const credential = this.#pick(route, tried, this.#anyway);
    if (credential !== undefined) return credential;
    return tried.size > 0 || route.channel.credentials.length > 0 ? undefined : NO_CREDENTIAL;
  }

  #attemptOn(route: R, picked: Credential | typeof NO_CREDENTIAL): Attempt<T, R> {
    const credential = picked === NO_CREDENTIAL ? undefined : picked;
    this.#credential = credential;
    const isAtHome = this.#isHome(route, credential);
    return new Attempt(this.#call, route, credential, this.#settlement, this.#deps, isAtHome);
  }

  /** The next channel that responds, after this attempt failed without content. */
  async instead(attempt: Attempt<T, R>, cause: unknown): Promise<Begun<T, R>> {
    this.#note(attempt.fail(cause));
    this.#leaveRouteOrCredential();
    return await this.next();
  }

  /**
   * The next available route in the plan's order. After the last one, the skipped routes: without
   * an alternative, a route with an open circuit is tried, too.
   */
  #advance(): R | undefined {
    this.#tried = undefined;
    this.#route = undefined;
    for (;;) {
      const routes = this.#anyway ? (this.#passedOver ?? []) : this.#plan.routes;
      const route = routes[this.#position++];
      if (route === undefined) {
        if (this.#anyway) return undefined;
        this.#anyway = true;
        this.#position = 0;
      } else if (this.#mayTry(route, this.#anyway)) {
        return (this.#route = route);
      } else if (!this.#anyway) {
        // Availability may have changed since the plan was made.
        this.#passedOver ??= [];
        this.#passedOver.push(route);
      }
    }
  }

  /** Excludes the failed credential or route from further attempts. */
  #leaveRouteOrCredential(): void {
    if (this.#last?.fault.next === "channel" || this.#credential === undefined)
      this.#route = undefined;
    else (this.#tried ??= new Set()).add(this.#credential);
  }

  #mayTry(route: R, anyway: boolean): boolean {
    const { health } = this.#deps;
    return anyway ? health.mayTryAnyway(route, this.#call.key) : health.mayTry(route);
  }

  #isHome({ channel }: R, credential: Credential | undefined): boolean {
    const { home } = this.#plan;
    return home?.channel === channel.name && home.account === accountOf(channel, credential);
  }

  /** A route may be limited to one account. */
  #pick(route: R, tried: ReadonlySet<Credential>, anyway: boolean): Credential | undefined {
    const { channel, account } = route;
    if (account !== undefined) return credentialOf(channel, account, tried);
    if (this.#plan.home?.channel === channel.name && tried.size === 0) {
      const own = this.#pickBeside(this.#awayFromHome(route), route, anyway);
      if (own !== undefined) return own;
    }
    return this.#pickBeside(tried, route, anyway);
  }

  #awayFromHome(route: R): ReadonlySet<Credential> {
    return new Set(route.channel.credentials.filter((each) => !this.#isHome(route, each)));
  }

  #pickBeside(others: ReadonlySet<Credential>, route: R, anyway: boolean): Credential | undefined {
    const { health } = this.#deps;
    return anyway ? health.pickAnyway(route, others, this.#call.key) : health.pick(route, others);
  }

  /** Reserves the channel's rate limits for an attempt. False if it has to wait: it is noted. */
  async #enterLimits(reservation: RateReservation, route: R): Promise<boolean> {
    const { limiter, health } = this.#deps;
    const { refusal } = await limiter.take(reservation);
    if (refusal === undefined && this.#mayTry(route, this.#anyway)) return true;
    // Without a refusal, another call took the last slot in the meantime.
    if (refusal === undefined) release(reservation, 0, limiter);
    this.#waits ??= new Map();
    this.#waits.set(
      route.channel,
      refusal === undefined ? health.waitMs([route]) : (refusal.retryAfterMs ?? Infinity),
    );
    return false;
  }

  /** Throws if the error ends the call. */
  #note(error: GatewayError): void {
    this.#last = error;
    const { next } = error.fault;
    if (next === "stop") throw error;
    if (next === "once" && this.#refusal !== undefined) throw this.#refusal;
    if (this.#deps.clock.monotonic() >= endOf(this.#call, this.#deps)) throw this.#told(error);
    if (next === "once") this.#refusal = error;
  }

  /** A cooldown gives the wait time even if the vendor sent none. */
  #told(error: GatewayError): GatewayError {
    if (error.code !== "upstream_rate_limited" || error.retryAfterMs !== undefined) return error;
    return error.withWait(this.#deps.health.waitMs(this.#plan.routes, this.#call.key));
  }
}

/** The credential with this label, unless it was tried. */
function credentialOf(
  { credentials }: Channel,
  label: string,
  tried: ReadonlySet<Credential>,
): Credential | undefined {
  return credentials.find((each) => each.label === label && !tried.has(each));
}

/** Monotonic ms. */
function endOf({ startedAt }: Served, { maxCallMs }: TryDeps): number {
  return startedAt + maxCallMs;
}

/** Replaces an attempt that failed before any content. */
interface Instead<T, R extends Destination> {
  instead(attempt: Attempt<T, R>, cause: unknown): Promise<Begun<T, R>>;
}

class BegunAttempt<T, R extends Destination> implements Begun<T, R> {
  readonly answer: T;
  readonly #attempt: Attempt<T, R>;
  readonly #failover: Instead<T, R>;

  constructor(answer: T, attempt: Attempt<T, R>, failover: Instead<T, R>) {
    this.answer = answer;
    this.#attempt = attempt;
    this.#failover = failover;
  }

  get route(): R {
    return this.#attempt.route;
  }

  get account(): string {
    return this.#attempt.account;
  }

  get attempt(): StreamedAttempt {
    return this.#attempt;
  }

  release(error?: GatewayError): void {
    this.#attempt.release(error);
  }

  disclose(error: GatewayError): GatewayError {
    return this.#attempt.disclose(error);
  }

  instead(cause: unknown): Promise<Begun<T, R>> {
    return this.#failover.instead(this.#attempt, cause);
  }
}

type AttemptRecorder = Pick<Settlement, "recordAttempt" | "amendAttempt"> & {
  readonly attemptCount?: number;
};

/** One attempt, with one credential: its user runs it once, or notes its begin or failure. */
export class Attempt<T, R extends Destination> implements UpstreamTransport {
  readonly route: R;
  readonly #call: Served;
  readonly #credential: Credential | undefined;
  readonly #settlement: AttemptRecorder;
  readonly #deps: TryDeps;
  readonly #isAtHome: boolean;
  readonly #terms: UpstreamTerms;
  readonly #startedAt: number;
  /** When the request was sent that the upstream has not answered yet. */
  #sentAt: number | undefined;
  /** Time until the requests were written to open connections. */
  #connectedMs = 0;
  /** Time that was spent waiting for the upstream. */
  #waitedMs = 0;
  readonly #visit: Visit;
  #reply: UpstreamReply | undefined;
  #session: FetchSession | undefined;
  /** Released once the upstream responds: a long response must not keep it in memory. */
  #sent: Body | undefined;
  /** The vendor's error as it may be stored. */
  #kept: ReturnType<typeof keptFailure>;
  /** Links of the request that its failures may show. */
  #links = NO_LINKS;

  constructor(
    call: Served,
    route: R,
    credential: Credential | undefined,
    settlement: AttemptRecorder,
    deps: TryDeps,
    /** A conversation on its home account does not advance the round-robin. */
    isAtHome = false,
  ) {
    this.#call = call;
    this.route = route;
    this.#credential = credential;
    this.#settlement = settlement;
    this.#deps = deps;
    this.#isAtHome = isAtHome;
    this.#terms = upstreamTerms(route, credential);
    this.#startedAt = deps.clock.monotonic();
    this.#visit = deps.health.enter(route, credential);
  }

  get credential(): string {
    return this.#credential?.label ?? "";
  }

  get account(): string {
    return accountOf(this.route.channel, this.#credential);
  }

  async run(begin: Begin<T, R>): Promise<T> {
    try {
      const answer = await begin(this.route, this);
      this.noteBegin();
      return answer;
    } catch (cause) {
      throw this.noteFailure(cause);
    }
  }

  /** The upstream starts to respond. */
  noteBegin(): void {
    const sent = this.#sent;
    if (this.#call.facts.stream && typeof sent === "string") this.#links = hiddenLinksIn(sent);
    this.#record();
  }

  /** It did not start to respond. */
  noteFailure(cause: unknown): GatewayError {
    const error = this.#failed(cause);
    this.#record(error);
    return error;
  }

  /** Ends the slot on the channel. */
  release(error?: GatewayError): void {
    this.#visit.leave(error);
  }

  /** It failed before any content, and counts as a failed start. */
  fail(cause: unknown): GatewayError {
    const error = this.#failed(cause);
    this.#settlement.amendAttempt(error, this.#elapsedMs());
    return error;
  }

  disclose(error: GatewayError): GatewayError {
    if (error.fault.blame === "gateway") return error;
    const own = {
      credential: this.#credential,
      url: baseOf(this.route),
      ...(this.#terms.hidesAddress && { hidesAddress: this.#terms.hidesAddress }),
    };
    const links = this.#links;
    const isSent =
      this.#sent === undefined
        ? (piece: string): boolean => links.some((link) => link.includes(piece))
        : sentIn(this.#sent);
    return disclose(error, own, isSent);
  }

  post(wire: Addressed, request: Outgoing<Body>): Promise<UpstreamReply> {
    return this.#post(wire, request).then((reply) => this.#taken(reply));
  }

  ask<T>(wire: Addressed, request: Outgoing, reader: WholeReader<T>): Promise<T> {
    return this.#post(wire, request).then(
      (reply) => this.#read(reply, reader),
      (cause: unknown) => reader.refused(cause),
    );
  }

  #post(
    wire: Addressed,
    { body, headers, path = pathOf(wire, this.#call.facts.stream) }: Outgoing<Body>,
  ): Promise<UpstreamReply> {
    this.#sent = body;
    const { headers: ofProvider } = this.route.provider;
    const all = ofProvider === undefined ? headers : { ...ofProvider, ...headers };
    return this.#send("POST", urlOf(wire, path), this.#traced(all), body);
  }

  #read<T>(reply: UpstreamReply, reader: WholeReader<T>): T | Promise<T> {
    const taken = this.#taken(reply);
    if (taken instanceof Promise) return taken.catch((cause: unknown) => reader.refused(cause));
    let body: Uint8Array | Promise<Uint8Array> | undefined;
    try {
      body = reply.readAll();
      return body instanceof Promise ? readLater(body, reply, reader) : reader.read(body);
    } finally {
      if (!(body instanceof Promise)) reply.close();
    }
  }

  #traced(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { traceparentOf } = this.#deps;
    if (traceparentOf === undefined) return headers;
    const traceparent = traceparentOf(this.#call, this.#settlement.attemptCount ?? 0);
    return { ...headers, traceparent };
  }

  get(wire: Addressed, path: string): Promise<UpstreamReply> {
    const url = new URL(baseOf(wire).href + path);
    const { headers = {} } = this.route.provider;
    return this.#send("GET", url, headers).then((reply) => this.#taken(reply));
  }

  openSession(): FetchSession {
    const { egress, delivery } = this.#deps;
    this.#sentAt = this.#deps.clock.monotonic();
    this.#session = new FetchSession(egress, {
      ...this.#terms,
      ...this.#limits,
      onReply: (reply, body) => this.#onReply(reply, body),
      maxEventBytes: delivery.maxEventBytes,
    });
    return this.#session;
  }

  #send(
    method: "GET" | "POST",
    url: URL,
    headers: Readonly<Record<string, string>>,
    body?: Body,
  ): Promise<UpstreamReply> {
    const { egress, clock } = this.#deps;
    this.#endWait();
    this.#sentAt = clock.monotonic();
    const { facts, isSlow, isLasting, cancellation } = this.#call;
    // The members of `#limits`: a second spread costs more than all of them.
    const request: UpstreamRequest & Limits = {
      ...this.#terms,
      method,
      url,
      headers,
      body,
      isStream: facts.stream,
      hasLargeEvents: facts.stream && givesImages(this.route.traits),
      isSlow: isSlow === true,
      isOnce: isLasting === true,
      endsAt: endOf(this.#call, this.#deps),
      signal: cancellation ?? this.#call.signal,
    };
    return egress.send(request);
  }

  #taken(reply: UpstreamReply): UpstreamReply | Promise<never> {
    this.#reply = reply;
    const { sentAt } = reply;
    if (sentAt !== undefined && this.#sentAt !== undefined)
      this.#connectedMs += sentAt - this.#sentAt;
    return reply.status === 200 ? reply : this.#refuse(reply);
  }

  /** The wait ends as late as the answer needs: at its first byte if it is streamed. */
  #endWait(): void {
    if (this.#sentAt === undefined) return;
    const { stream } = this.#call.facts;
    const arrivedAt = stream ? this.#reply?.firstByteAt : this.#reply?.endedAt;
    this.#waitedMs += Math.max(0, (arrivedAt ?? this.#deps.clock.monotonic()) - this.#sentAt);
    this.#sentAt = undefined;
  }

  get #limits(): Limits {
    const { facts, isSlow, isLasting, cancellation } = this.#call;
    return {
      isStream: facts.stream,
      hasLargeEvents: facts.stream && givesImages(this.route.traits),
      isSlow: isSlow === true,
      // A task that is submitted twice runs twice, and the vendor charges both.
      isOnce: isLasting === true,
      endsAt: endOf(this.#call, this.#deps),
      signal: cancellation ?? this.#call.signal,
    };
  }

  async #onReply(reply: UpstreamReply, body?: string): Promise<void> {
    this.#sent = body ?? this.#sent;
    await this.#taken(reply);
  }

  /** Releases this response's connection; other responses of the attempt may still be open. */
  async #refuse(reply: UpstreamReply): Promise<never> {
    using refusal = reply;
    throw await asError(refusal, this.route);
  }

  #failed(cause: unknown): GatewayError {
    this.#reply?.close();
    this.#session?.close();
    // Also for an error in a success response.
    const error = this.disclose(GatewayError.from(cause));
    const { channel, upstreamModel } = this.route;
    if (error.fault.blame !== "gateway") {
      error.upstream = {
        channel: channel.name,
        model: upstreamModel,
        credential: this.credential,
        status: this.#reply?.status ?? null,
      };
    }
    this.#kept = error.vendor && keptFailure(error.vendor, upstreamModel, this.#sent);
    this.#visit.leave(error, this.#kept?.reason);
    const { next } = error.fault;
    if ((next === "credential" || next === "once") && this.#credential !== undefined) {
      this.#deps.health.cool(this.route, this.#credential, error, this.#call.key);
    }
    return error;
  }

  #record(error?: GatewayError): void {
    const { channel } = this.route;
    const startMs = Math.round(this.#startedAt - this.#call.startedAt);
    if (!this.#isAtHome) this.#deps.health.turn(channel);
    this.#endWait();
    const attempt: Mutable<AttemptRecord> = {
      channel: channel.name,
      credential: this.credential,
      fault: error?.code ?? null,
      status: this.#reply?.status ?? null,
      durationMs: this.#elapsedMs(),
    };
    if (this.#kept !== undefined) Object.assign(attempt, this.#kept);
    const connectMs = Math.round(this.#connectedMs);
    if (startMs > 0) attempt.startMs = startMs;
    if (connectMs > 0) attempt.connectMs = connectMs;
    this.#settlement.recordAttempt(attempt, this.#waitedMs);
    this.#sent = undefined;
  }

  #elapsedMs(): number {
    return Math.round(this.#deps.clock.monotonic() - this.#startedAt);
  }
}

/** A request without one of them does not compile. */
type Limits = Required<
  Pick<UpstreamRequest, "isStream" | "hasLargeEvents" | "isSlow" | "isOnce" | "endsAt">
> & { readonly signal: CancelSignal };

async function readLater<T>(
  body: Promise<Uint8Array>,
  reply: UpstreamReply,
  reader: WholeReader<T>,
): Promise<T> {
  using _reply = reply;
  return reader.read(await body);
}

const NO_CREDENTIALS: ReadonlySet<Credential> = new Set();
/** The channel has no credentials. */
const NO_CREDENTIAL = null;
const NO_LINKS: readonly string[] = [];

const urls = new WeakMap<Channel, Map<string, URL>>();
const MAX_PATHS = 1_000;

/** Parsed once per channel: the URL is the same for all its calls. */
function urlOf(route: Candidate, path: string): URL {
  const { channel } = route;
  let known = urls.get(channel);
  if (known === undefined) urls.set(channel, (known = new Map()));
  let url = known.get(path);
  if (url === undefined) {
    // Some paths contain an id and differ for each call, so the cache is limited.
    if (known.size >= MAX_PATHS) known.clear();
    known.set(path, (url = new URL(addressOf(route) + path)));
  }
  return url;
}

/** The channel's address. */
export function baseOf(route: Candidate): URL {
  return urlOf(route, "");
}

/** Relative to the channel's address. */
export function pathOf({ channel, endpoint, upstreamModel }: Addressed, isStream: boolean): string {
  if (typeof endpoint.path === "string") return endpoint.path;
  return endpoint.path(upstreamModel, isStream, channel.options ?? {});
}

const MAX_ERROR_CHARS = 64 * 1024;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** The route's endpoint; undefined for an adapter. */
type Destination = Candidate & { readonly endpoint?: Addressee | undefined };

interface Answerer {
  readonly endpoint?: Pick<Addressee, "style"> | undefined;
}

/** Parses an error response. */
export async function asError(reply: UpstreamReply, { endpoint }: Answerer): Promise<GatewayError> {
  const body = await reply.readFailure(MAX_ERROR_CHARS);
  const read = (endpoint?.style.outbound.parseError ?? parseError)(reply.status, body);
  const retryAfterMs = retryAfter(reply.headers) ?? read.retryAfterMs;
  const timed = retryAfterMs === undefined ? read : { ...read, retryAfterMs };
  return asGatewayError({ ...timed, vendor: { ...read.vendor, status: reply.status } });
}

/** Seconds, a date, or the milliseconds that some vendors add. */
function retryAfter(headers: Fields): number | undefined {
  const precise = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const seconds = headers.get("retry-after");
  const plain = seconds === undefined ? Number.NaN : Number(seconds) * 1_000;
  const dated = seconds === undefined ? Number.NaN : Date.parse(seconds) - Date.now();
  const ms = [precise, plain, dated].find((each) => Number.isFinite(each) && each >= 0);
  return ms === undefined ? undefined : Math.min(ms, MAX_RETRY_AFTER_MS);
}
