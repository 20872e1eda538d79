import { GatewayError } from "#core/error.ts";
import type { Channel, ChannelOptions, Credential } from "#core/channel.ts";
import type { Claim } from "#core/limits.ts";
import type { OutboundStyle } from "#core/style.ts";
import type { Egress, UpstreamReply } from "#egress/egress.ts";
import { FetchSession } from "#egress/fetch.ts";
import type { Clock } from "#lib/clock.ts";
import type { Fields } from "#lib/http1.ts";
import type { Body } from "#lib/pieces.ts";
import { asGatewayError, parseError } from "#styles/upstream-error.ts";
import type { Served } from "./call.ts";
import { claimOn, giveBack, type ClaimDeps } from "./claims.ts";
import type { Health } from "./health.ts";
import { poolOf } from "./pools.ts";
import { allResting, type Candidate, type Plan, type Route } from "./route.ts";
import type { Settlement } from "./settlement.ts";

/** What one try takes. */
export interface TryDeps {
  readonly egress: Egress;
  readonly health: Health;
  readonly clock: Clock;
  readonly delivery: { readonly maxEventBytes: number };
  /** How long a call may take, all its tries together. */
  readonly maxCallMs: number;
}

export interface AttemptDeps extends TryDeps, ClaimDeps {
  readonly maxAttempts: number;
}

/** An upstream that answers. Its place on the channel is given back by `release`. */
export interface Begun<T, R extends Candidate = Route> {
  readonly route: R;
  readonly answer: T;
  release(error?: GatewayError): void;
}

/** Sends a call along a route and waits until the upstream begins to answer, or throws. */
export type Begin<T, R extends Candidate = Route> = (route: R, way: Way) => Promise<T>;

/** How the upstream of a route is reached, with the credential of this attempt. */
export interface Way {
  /** Label of the credential; empty where the channel has none. */
  readonly credential: string;
  /** POSTs to the route's endpoint. */
  send(route: Addressed, request: Outgoing<Body>): Promise<UpstreamReply>;
  /** GETs what stands at a path below the channel's address. */
  look(route: Addressed, path: string): Promise<UpstreamReply>;
  /** For the route's adapter, which knows its own endpoints. */
  openSession(): FetchSession;
}

/** A route that is asked over HTTP. */
export interface Addressed extends Candidate {
  readonly endpoint: Addressee;
}

/** What an attempt needs to know of an endpoint. */
export interface Addressee {
  /** Below the channel's address; some vendors name the model in it. */
  readonly path: string | ((model: string, stream: boolean, options: ChannelOptions) => string);
  readonly style: { readonly outbound: Pick<OutboundStyle["outbound"], "parseError"> };
}

export interface Outgoing<B extends Body = string> {
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The first channel that begins to answer, answers. What to do about one that
 * does not is written in the error table: try its next credential, the next
 * channel, or tell the caller.
 */
export async function firstToAnswer<T, R extends Tried>(
  call: Served,
  plan: Plan<R>,
  settlement: Settlement,
  deps: AttemptDeps,
  begin: Begin<T, R>,
): Promise<Begun<T, R>> {
  let last: GatewayError | undefined;
  let attempts = 0;
  let waits: Map<Channel, number> | undefined;

  for (const route of plan.routes) {
    // Much may have happened since the plan was made: others took the last place, or failed.
    if (!deps.health.mayTry(route)) continue;
    const tried = new Set<Credential>();
    while (attempts < deps.maxAttempts) {
      const credential = pickFor(route, tried, deps.health);
      if (credential === undefined && (tried.size > 0 || route.channel.credentials.length > 0))
        break;
      const claim = claimOn(route, call, deps);
      if (claim !== undefined) {
        const waitMs = await enterLimits(claim, route, deps);
        if (waitMs !== undefined) {
          waits ??= new Map();
          waits.set(route.channel, waitMs);
          break;
        }
      }
      attempts++;
      try {
        const begun = await tryOnce(call, route, credential, settlement, deps, begin);
        if (claim !== undefined) settlement.took(claim);
        return begun;
      } catch (cause) {
        last = GatewayError.from(cause);
        if (claim !== undefined) giveBack(claim, 0, deps.limiter);
      }
      if (last.fault.next === "stop" || deps.clock.monotonic() >= endOf(call, deps)) throw last;
      if (last.fault.next === "channel" || credential === undefined) break;
      tried.add(credential);
    }
  }
  throw last ?? allResting(plan.routes, deps.health, waits);
}

/** Monotonic ms. */
function endOf({ startedAt }: Served, { maxCallMs }: TryDeps): number {
  return startedAt + maxCallMs;
}

/** A route may be one account's alone. */
function pickFor(
  route: Candidate,
  tried: ReadonlySet<Credential>,
  health: Health,
): Credential | undefined {
  const { channel, account } = route;
  if (account === undefined) return health.pick(route, tried);
  return channel.credentials.find((each) => each.label === account && !tried.has(each));
}

/** Takes what an attempt needs of its channel's limits, or says how long to wait for it. */
async function enterLimits(
  claim: Claim,
  route: Candidate,
  { limiter, health }: AttemptDeps,
): Promise<number | undefined> {
  const { refusal } = await limiter.take(claim);
  if (refusal !== undefined) return refusal.retryAfterMs ?? Infinity;
  if (health.mayTry(route)) return undefined;
  // Others took the last place in the meantime.
  giveBack(claim, 0, limiter);
  return health.waitMs([route]);
}

/** One try, with one credential. */
export async function tryOnce<T, R extends Tried>(
  call: Served,
  route: R,
  credential: Credential | undefined,
  settlement: Pick<Settlement, "tried">,
  deps: TryDeps,
  begin: Begin<T, R>,
): Promise<Begun<T, R>> {
  const { channel, provider } = route;
  const startedAt = deps.clock.monotonic();
  let reply: UpstreamReply | undefined;
  let session: FetchSession | undefined;
  let error: GatewayError | undefined;

  const terms = {
    pool: poolOf(channel, credential),
    ...(channel.reach === undefined ? {} : { reach: channel.reach }),
    credential,
    authorize: provider.authorize,
    ...(provider.exchange === undefined ? {} : { exchange: provider.exchange }),
    ...(channel.options === undefined ? {} : { options: channel.options }),
    isStream: call.facts.stream,
    isSlow: call.isSlow === true,
    // What is begun twice is made twice, and charged twice by its vendor.
    isOnce: call.isLasting === true,
    endsAt: endOf(call, deps),
    signal: call.signal,
  };
  const onReply = async (each: UpstreamReply): Promise<void> => {
    reply = each;
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

  deps.health.enter(channel);
  try {
    const answer = await begin(route, {
      credential: credential?.label ?? "",
      send(wire, { body, headers }) {
        const url = urlOf(wire, pathOf(wire, call.facts.stream));
        const all = provider.headers === undefined ? headers : { ...provider.headers, ...headers };
        return replied(deps.egress.send({ ...terms, url, method: "POST", body, headers: all }));
      },
      look(wire, path) {
        const url = new URL(baseOf(wire).href + path);
        const { headers = {} } = provider;
        return replied(deps.egress.send({ ...terms, url, method: "GET", headers }));
      },
      openSession() {
        const { maxEventBytes } = deps.delivery;
        return (session = new FetchSession(deps.egress, { ...terms, onReply, maxEventBytes }));
      },
    });
    return new Answering(route, answer, deps.health);
  } catch (cause) {
    reply?.close();
    session?.close();
    error = GatewayError.from(cause);
    if (error.fault.blame !== "gateway") {
      error.upstream = {
        channel: channel.name,
        model: route.upstreamModel,
        credential: credential?.label ?? "",
        status: reply?.status ?? null,
      };
    }
    deps.health.leave(channel);
    if (error.fault.next === "credential" && credential !== undefined) {
      deps.health.cool(route, credential, error);
    }
    throw error;
  } finally {
    deps.health.report(channel, error);
    deps.health.turn(channel);
    settlement.tried({
      channel: channel.name,
      credential: credential?.label ?? "",
      fault: error?.code ?? null,
      status: reply?.status ?? null,
      durationMs: Math.round(deps.clock.monotonic() - startedAt),
    });
  }
}

class Answering<T, R extends Candidate> implements Begun<T, R> {
  readonly route: R;
  readonly answer: T;
  readonly #health: Health;
  #isReleased = false;

  constructor(route: R, answer: T, health: Health) {
    this.route = route;
    this.answer = answer;
    this.#health = health;
  }

  /** Two may want to give a place back: whoever sends the answer, and whoever notices that the caller left. */
  release(failure?: GatewayError): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const { channel } = this.route;
    if (failure !== undefined) this.#health.report(channel, failure);
    this.#health.leave(channel);
  }
}

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

function addressOf({ channel, provider }: Candidate): string {
  return channel.baseUrl || (provider.baseUrlOf?.(channel.options ?? {}) ?? "");
}

/** Below the channel's address. */
export function pathOf({ channel, endpoint, upstreamModel }: Addressed, isStream: boolean): string {
  if (typeof endpoint.path === "string") return endpoint.path;
  return endpoint.path(upstreamModel, isStream, channel.options ?? {});
}

const MAX_ERROR_CHARS = 64 * 1024;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What a route says of where it leads; an adapted one says nothing. */
type Tried = Candidate & { readonly endpoint?: Addressee | undefined };

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
