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

/** What one try takes. */
export interface TryDeps {
  readonly egress: Egress;
  readonly health: Health;
  readonly clock: Clock;
  readonly delivery: { readonly maxEventBytes: number };
  /** How long a call may take, all its tries together. */
  readonly maxCallMs: number;
}

export interface AttemptDeps extends TryDeps, RateReservationDeps {
  readonly maxAttempts: number;
}

/**
 * An upstream that answers. Its place on the channel is given back by
 * `release`, with what the answer failed with: a call counts at its end.
 */
export interface Begun<T, R extends Candidate = Route> {
  readonly route: R;
  readonly answer: T;
  /** Which of the channel's credentials, from `accountOf`. */
  readonly account: string;
  release(error?: GatewayError): void;
  /** A failure of the answer as the caller may see it. */
  disclose(error: GatewayError): GatewayError;
  /**
   * The next channel that begins to answer, after this answer failed without
   * any content. Throws what the caller is to be told if there is none.
   */
  instead(cause: unknown): Promise<Begun<T, R>>;
}

/** One try that began to answer. `fail`: it failed before any content, as if it had never begun. */
interface Tried<T, R extends Candidate> extends Omit<Begun<T, R>, "instead"> {
  fail(cause: unknown): GatewayError;
}

/** What a stream needs of the attempt that it began with. */
export type StreamedAttempt = Pick<Begun<unknown>, "release" | "disclose">;

/** Sends a call along a route and waits until the upstream begins to answer, or throws. */
export type Begin<T, R extends Candidate = Route> = (
  route: R,
  transport: UpstreamTransport,
) => Promise<T>;

/** How the upstream of a route is reached, with the credential of this attempt. */
export interface UpstreamTransport {
  /** Label of the credential; empty where the channel has none. */
  readonly credential: string;
  /** The same, told from others of the channel. */
  readonly account: string;
  /** POSTs to the route's endpoint. */
  post(route: Addressed, request: Outgoing<Body>): Promise<UpstreamReply>;
  /** GETs what stands at a path below the channel's address. */
  get(route: Addressed, path: string): Promise<UpstreamReply>;
  /** For the route's adapter, which knows its own endpoints. */
  openSession(): FetchSession;
}

/** A route that is asked over HTTP. */
export interface Addressed extends Candidate {
  readonly endpoint: Addressee;
}

/** What an attempt needs to know of an endpoint. */
interface Addressee {
  /** Below the channel's address; some vendors name the model in it. */
  readonly path: string | ((model: string, stream: boolean, options: ChannelOptions) => string);
  readonly style: { readonly outbound: Pick<OutboundStyle["outbound"], "parseError"> };
}

export interface Outgoing<B extends Body = string> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** Below the channel's address, if it is not the endpoint's usual one. */
  readonly path?: string | undefined;
}

/**
 * The first channel that begins to answer, answers. What to do about one that
 * does not is written in the error table: try its next credential, the next
 * channel, or tell the caller.
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
  /** A refusal that may be the request's: a second one ends the call. */
  #refusal: GatewayError | undefined;
  #waits: Map<Channel, number> | undefined;
  #passedOver: R[] | undefined;
  /** The route that is being tried, and with which credentials it was. */
  #route: R | undefined;
  #tried = new Set<Credential>();
  #credential: Credential | undefined;
  /** How many of the plan's routes were looked at, or of those that were passed over. */
  #position = 0;
  /** There is nobody else to turn to. */
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
   * The next route in the plan's order that nothing speaks against; after all
   * of them, those that were passed over: with nobody else to turn to, a
   * circuit that is open is tried, too.
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
        // Much may have happened since the plan was made: others took the last place, or failed.
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

  /** What failed last is not tried again. */
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

  /** A route may be one account's alone. */
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

  /** Takes what an attempt needs of its channel's limits, or says how long to wait for it. */
  async #enterLimits(
    reservation: RateReservation,
    route: R,
    anyway: boolean,
  ): Promise<number | undefined> {
    const { limiter, health } = this.#deps;
    const { refusal } = await limiter.take(reservation);
    if (refusal !== undefined) return refusal.retryAfterMs ?? Infinity;
    if (this.#mayTry(route, anyway)) return undefined;
    // Others took the last place in the meantime.
    release(reservation, 0, limiter);
    return health.waitMs([route]);
  }

  /** Throws what ends the call. */
  #note(error: GatewayError): void {
    this.#last = error;
    const { next } = error.fault;
    if (next === "stop") throw error;
    if (next === "once" && this.#refusal !== undefined) throw this.#refusal;
    if (this.#deps.clock.monotonic() >= endOf(this.#call, this.#deps)) throw this.#told(error);
    if (next === "once") this.#refusal = error;
  }

  /** A limit says how long to wait for it, whether or not the vendor did. */
  #told(error: GatewayError): GatewayError {
    if (error.code !== "upstream_rate_limited" || error.retryAfterMs !== undefined) return error;
    return error.withWait(this.#deps.health.waitMs(this.#plan.routes, this.#call.key));
  }
}

/** Monotonic ms. */
function endOf({ startedAt }: Served, { maxCallMs }: TryDeps): number {
  return startedAt + maxCallMs;
}

/** One try, with one credential. */
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
    // What is begun twice is made twice, and charged twice by its vendor.
    isOnce: call.isLasting === true,
    endsAt: endOf(call, deps),
    signal: call.signal,
  };
  const onReply = async (each: UpstreamReply, body?: string): Promise<void> => {
    reply = each;
    sent = body ?? sent;
    if (each.status === 200) return;
    // Others of this attempt may still be answered, so that nobody else would let it go.
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
    // Also of a failure that an answer of success told.
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
    // Who goes on where they were takes nobody's turn.
    if (!isAtHome) deps.health.turn(channel);
    settlement.recordAttempt({
      channel: channel.name,
      credential: credential?.label ?? "",
      fault: error?.code ?? null,
      status: reply?.status ?? null,
      ...(error?.vendor && keptFailure(error.vendor, route.upstreamModel, sent)),
      durationMs: elapsedMs(),
    });
    // A long answer must not hold on to its question.
    sent = undefined;
  }
}

const NO_LINKS: readonly string[] = [];

const urls = new WeakMap<Channel, Map<string, URL>>();
const MAX_PATHS = 1_000;

/** Parsed once for each channel: it is the same for all its calls. */
function urlOf(route: Candidate, path: string): URL {
  const { channel } = route;
  let known = urls.get(channel);
  if (known === undefined) urls.set(channel, (known = new Map()));
  let url = known.get(path);
  if (url === undefined) {
    // Of a few the path names what the call is about, which is another each time.
    if (known.size >= MAX_PATHS) known.clear();
    known.set(path, (url = new URL(addressOf(route) + path)));
  }
  return url;
}

/** The channel's address. */
export function baseOf(route: Candidate): URL {
  return urlOf(route, "");
}

/** Below the channel's address. */
export function pathOf({ channel, endpoint, upstreamModel }: Addressed, isStream: boolean): string {
  if (typeof endpoint.path === "string") return endpoint.path;
  return endpoint.path(upstreamModel, isStream, channel.options ?? {});
}

const MAX_ERROR_CHARS = 64 * 1024;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What a route says of where it leads; an adapted one says nothing. */
type Destination = Candidate & { readonly endpoint?: Addressee | undefined };

interface Answerer {
  readonly endpoint?: Pick<Addressee, "style"> | undefined;
}

/** What a reply that is no answer says. */
export async function asError(reply: UpstreamReply, { endpoint }: Answerer): Promise<GatewayError> {
  const body = await reply.readFailure(MAX_ERROR_CHARS);
  const read = (endpoint?.style.outbound.parseError ?? parseError)(reply.status, body);
  const retryAfterMs = retryAfter(reply.headers) ?? read.retryAfterMs;
  const timed = retryAfterMs === undefined ? read : { ...read, retryAfterMs };
  return asGatewayError({ ...timed, vendor: { ...read.vendor, status: reply.status } });
}

/** Seconds, or a date, or the milliseconds that some vendors add. */
function retryAfter(headers: Fields): number | undefined {
  const precise = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const seconds = headers.get("retry-after");
  const plain = seconds === undefined ? Number.NaN : Number(seconds) * 1_000;
  const dated = seconds === undefined ? Number.NaN : Date.parse(seconds) - Date.now();
  const ms = [precise, plain, dated].find((each) => Number.isFinite(each) && each >= 0);
  return ms === undefined ? undefined : Math.min(ms, MAX_RETRY_AFTER_MS);
}
