import { GatewayError } from "#core/error.ts";
import type { Channel, ChannelOptions, Credential } from "#core/channel.ts";
import type { RateReservation } from "#core/limits.ts";
import { accountOf } from "#core/reasoning-home.ts";
import type { OutboundStyle } from "#core/style.ts";
import type { Egress, UpstreamReply } from "#egress/egress.ts";
import { FetchSession } from "#egress/fetch.ts";
import type { Clock } from "#lib/clock.ts";
import type { Fields } from "#lib/http1.ts";
import type { Body } from "#lib/pieces.ts";
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
import type { Health } from "./health.ts";
import { addressOf, upstreamTerms } from "./upstream-terms.ts";
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
}

export interface AttemptDeps extends TryDeps, RateReservationDeps {
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
  /**
   * The next channel that responds, after this response failed without content. Throws the client's
   * error if no channel is left.
   */
  instead(cause: unknown): Promise<Begun<T, R>>;
}

/**
 * An attempt that started to respond. `fail`: it failed before any content, and counts as a failed
 * start.
 */
interface Tried<T, R extends Candidate> extends Omit<Begun<T, R>, "instead"> {
  fail(cause: unknown): GatewayError;
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
  /** GETs a path relative to the channel's address. */
  get(route: Addressed, path: string): Promise<UpstreamReply>;
  /** For the route's adapter, which has its own endpoints. */
  openSession(): FetchSession;
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
export async function callWithFailover<T, R extends Destination>(
  call: Served,
  plan: Plan<R>,
  settlement: Settlement,
  deps: AttemptDeps,
  begin: Begin<T, R>,
): Promise<Begun<T, R>> {
  return await new Failover<T, R>(call, plan, settlement, deps, begin).next();
}

/** The attempts of one call. */
class Failover<T, R extends Destination> {
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
  #tried = new Set<Credential>();
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
    for (let route = this.#route ?? this.#advance(); route !== undefined; route = this.#advance()) {
      const begun = await this.#tryRoute(route);
      if (begun === undefined) continue;
      const { answer, account, release, disclose: shown } = begun;
      const instead = (cause: unknown): Promise<Begun<T, R>> => this.#instead(begun, cause);
      return { route, answer, account, release, disclose: shown, instead };
    }
    if (this.#last !== undefined) throw this.#told(this.#last);
    throw allResting(this.#plan.routes, this.#deps.health, this.#call.key, this.#waits);
  }

  async #instead(begun: Tried<T, R>, cause: unknown): Promise<Begun<T, R>> {
    this.#note(begun.fail(cause));
    this.#leaveRouteOrCredential();
    return await this.next();
  }

  /**
   * The next available route in the plan's order. After the last one, the skipped routes: without
   * an alternative, a route with an open circuit is tried, too.
   */
  #advance(): R | undefined {
    this.#tried.clear();
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

  async #tryRoute(route: R): Promise<Tried<T, R> | undefined> {
    const deps = this.#deps;
    const anyway = this.#anyway;
    while (this.#route === route && this.#attempts < deps.maxAttempts) {
      const credential = this.#pick(route, this.#tried, anyway);
      if (
        credential === undefined &&
        (this.#tried.size > 0 || route.channel.credentials.length > 0)
      )
        return undefined;
      const reservation = reserveOnChannel(route, this.#call, deps);
      if (reservation !== undefined) {
        const waitMs = await this.#enterLimits(reservation, route, anyway);
        if (waitMs !== undefined) {
          this.#waits ??= new Map();
          this.#waits.set(route.channel, waitMs);
          return undefined;
        }
      }
      this.#attempts++;
      this.#credential = credential;
      try {
        const begun = await tryOnce(
          this.#call,
          route,
          credential,
          this.#settlement,
          deps,
          this.#begin,
          this.#isHome(route, credential),
        );
        if (reservation !== undefined) this.#settlement.attachChannelReservation(reservation);
        return begun;
      } catch (cause) {
        if (reservation !== undefined) release(reservation, 0, deps.limiter);
        this.#note(GatewayError.from(cause));
      }
      this.#leaveRouteOrCredential();
    }
    return undefined;
  }

  /** Excludes the failed credential or route from further attempts. */
  #leaveRouteOrCredential(): void {
    if (this.#last?.fault.next === "channel" || this.#credential === undefined)
      this.#route = undefined;
    else this.#tried.add(this.#credential);
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
    const { health } = this.#deps;
    if (account !== undefined) {
      return channel.credentials.find((each) => each.label === account && !tried.has(each));
    }
    const { home } = this.#plan;
    if (home?.channel === channel.name && tried.size === 0) {
      const others = new Set(channel.credentials.filter((each) => !this.#isHome(route, each)));
      const own = anyway
        ? health.pickAnyway(route, others, this.#call.key)
        : health.pick(route, others);
      if (own !== undefined) return own;
    }
    return anyway ? health.pickAnyway(route, tried, this.#call.key) : health.pick(route, tried);
  }

  /** Reserves the channel's rate limits for an attempt, or returns the wait time. */
  async #enterLimits(
    reservation: RateReservation,
    route: R,
    anyway: boolean,
  ): Promise<number | undefined> {
    const { limiter, health } = this.#deps;
    const { refusal } = await limiter.take(reservation);
    if (refusal !== undefined) return refusal.retryAfterMs ?? Infinity;
    if (this.#mayTry(route, anyway)) return undefined;
    // Another call took the last slot in the meantime.
    release(reservation, 0, limiter);
    return health.waitMs([route]);
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

/** Monotonic ms. */
function endOf({ startedAt }: Served, { maxCallMs }: TryDeps): number {
  return startedAt + maxCallMs;
}

/** One attempt, with one credential. */
export async function tryOnce<T, R extends Destination>(
  call: Served,
  route: R,
  credential: Credential | undefined,
  settlement: Pick<Settlement, "recordAttempt" | "amendAttempt">,
  deps: TryDeps,
  begin: Begin<T, R>,
  isAtHome = false,
): Promise<Tried<T, R>> {
  const { channel, provider } = route;
  const startedAt = deps.clock.monotonic();
  let reply: UpstreamReply | undefined;
  let session: FetchSession | undefined;
  let error: GatewayError | undefined;
  let sent: Body | undefined;

  const terms = {
    ...upstreamTerms(route, credential),
    isStream: call.facts.stream,
    isSlow: call.isSlow === true,
    // A task that is submitted twice runs twice, and the vendor charges both.
    isOnce: call.isLasting === true,
    endsAt: endOf(call, deps),
    signal: call.signal,
  };
  const onReply = async (each: UpstreamReply, body?: string): Promise<void> => {
    reply = each;
    sent = body ?? sent;
    if (each.status === 200) return;
    // Releases this response's connection; other responses of the attempt may still be open.
    using refusal = each;
    throw await asError(refusal, route);
  };
  const replied = async (sending: Promise<UpstreamReply>): Promise<UpstreamReply> => {
    const sent = await sending;
    await onReply(sent);
    return sent;
  };

  const account = accountOf(channel, credential);
  const visit = deps.health.enter(route, credential);
  const elapsedMs = (): number => Math.round(deps.clock.monotonic() - startedAt);
  let links = NO_LINKS;
  const shown = (failure: GatewayError): GatewayError => {
    if (failure.fault.blame === "gateway") return failure;
    const isLinked = (piece: string): boolean => links.some((link) => link.includes(piece));
    const isSent = sent === undefined ? isLinked : sentIn(sent);
    return disclose(failure, { ...terms, url: baseOf(route) }, isSent);
  };
  const failed = (cause: unknown): GatewayError => {
    reply?.close();
    session?.close();
    // Also for an error in a success response.
    const failure = shown(GatewayError.from(cause));
    if (failure.fault.blame !== "gateway") {
      failure.upstream = {
        channel: channel.name,
        model: route.upstreamModel,
        credential: credential?.label ?? "",
        status: reply?.status ?? null,
      };
    }
    visit.leave(failure);
    const { next } = failure.fault;
    if ((next === "credential" || next === "once") && credential !== undefined) {
      deps.health.cool(route, credential, failure, call.key);
    }
    return failure;
  };
  try {
    const answer = await begin(route, {
      credential: credential?.label ?? "",
      account,
      post(wire, { body, headers, path = pathOf(wire, call.facts.stream) }) {
        const url = urlOf(wire, path);
        sent = body;
        const all = provider.headers === undefined ? headers : { ...provider.headers, ...headers };
        return replied(deps.egress.send({ ...terms, url, method: "POST", body, headers: all }));
      },
      get(wire, path) {
        const url = new URL(baseOf(wire).href + path);
        const { headers = {} } = provider;
        return replied(deps.egress.send({ ...terms, url, method: "GET", headers }));
      },
      openSession() {
        const { maxEventBytes } = deps.delivery;
        return (session = new FetchSession(deps.egress, { ...terms, onReply, maxEventBytes }));
      },
    });
    links = call.facts.stream && typeof sent === "string" ? hiddenLinksIn(sent) : NO_LINKS;
    return {
      route,
      answer,
      account,
      release: (failure) => visit.leave(failure),
      disclose: shown,
      fail(cause) {
        const failure = failed(cause);
        settlement.amendAttempt(failure, elapsedMs());
        return failure;
      },
    };
  } catch (cause) {
    error = failed(cause);
    throw error;
  } finally {
    // A conversation on its home account does not advance the round-robin.
    if (!isAtHome) deps.health.turn(channel);
    settlement.recordAttempt({
      channel: channel.name,
      credential: credential?.label ?? "",
      fault: error?.code ?? null,
      status: reply?.status ?? null,
      ...(error?.vendor && keptFailure(error.vendor, route.upstreamModel, sent)),
      durationMs: elapsedMs(),
    });
    // Release the request body: a long response must not keep it in memory.
    sent = undefined;
  }
}

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
