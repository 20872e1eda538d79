import type { Channel, Credential } from "#core/channel.ts";
import type { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";

const WINDOW_MS = 10_000;
const BUCKET_MS = 1_000;
const MIN_CALLS = 20;
const FAILURES_IN_A_ROW = 5;
const OPEN_MS = 5_000;
const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const AUTH_COOL_MS = 60_000;

/** At its limit of calls; given a rest after failing; with all its credentials told to wait. */
export type ChannelObjection = "full" | "resting" | "cooling";

/** Where a call may be sent: a channel, and what the model is called there. */
export interface Destination {
  readonly channel: Channel;
  readonly upstreamModel: string;
}

/**
 * How the channels are doing: which are given a rest after failing, which of
 * their credentials cool off, how many calls each has in flight. A credential
 * cools off for one model: most vendors limit each by itself, and an account
 * that may not use one may use the others.
 */
export class Health {
  readonly #clock: Clock;
  readonly #channels = new Map<string, ChannelHealth>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a call may be sent there now. Lets one through to try a channel that had its rest. */
  mayTry(to: Destination): boolean {
    return this.objectionTo(to) === undefined;
  }

  /** Why a call may not be sent there now. */
  objectionTo(to: Destination): ChannelObjection | undefined {
    const { channel } = to;
    const health = this.#of(channel);
    const now = this.#clock.monotonic();
    if (health.inFlight >= channel.maxConcurrent) return "full";
    if (health.breaker.state(now) === "open") return "resting";
    if (channel.credentials.length === 0 || this.pick(to, NONE) !== undefined) return undefined;
    return "cooling";
  }

  /** Takes a place on the channel; the caller gives it back by `report`. */
  enter(channel: Channel): void {
    this.#of(channel).inFlight++;
    this.#breakerOf(channel).enter(this.#clock.monotonic());
  }

  /** Ends the attempt, if its place was not given back already by `leave`. */
  report(channel: Channel, error: GatewayError | undefined): void {
    const breaker = this.#breakerOf(channel);
    const now = this.#clock.monotonic();
    // A caller's mistake or hang-up says nothing about the channel.
    if (error === undefined) breaker.succeeded(now);
    else if (error.fault.trips) breaker.failed(now);
    else breaker.undecided();
  }

  leave(channel: Channel): void {
    this.#of(channel).inFlight--;
  }

  /** The next credential in turn that is neither cooling nor among those tried. */
  pick(
    { channel, upstreamModel }: Destination,
    tried: ReadonlySet<Credential>,
  ): Credential | undefined {
    const health = this.#of(channel);
    const now = this.#clock.monotonic();
    const { credentials } = channel;
    for (let i = 0; i < credentials.length; i++) {
      const each = credentials[(health.turn + i) % credentials.length];
      if (each === undefined || tried.has(each)) continue;
      if (coolUntil(health, each, upstreamModel) <= now) return each;
    }
    return undefined;
  }

  turn(channel: Channel): void {
    this.#of(channel).turn++;
  }

  /** Lets a credential rest after the vendor refused it or asked to wait. */
  cool({ channel, upstreamModel }: Destination, credential: Credential, error: GatewayError): void {
    const asked = error.code === "upstream_auth" ? AUTH_COOL_MS : (error.retryAfterMs ?? COOL_MS);
    const until = this.#clock.monotonic() + Math.min(asked, MAX_COOL_MS);
    const { cooling } = this.#of(channel);
    const models = cooling.get(credential) ?? new Map<string, number>();
    cooling.set(credential, models.set(upstreamModel, until));
  }

  /** How long until some channel may be tried again, in ms. */
  waitMs(destinations: readonly Destination[]): number {
    const now = this.#clock.monotonic();
    const waits = destinations.map(({ channel, upstreamModel }) => {
      const health = this.#of(channel);
      const ends = channel.credentials.map((each) => coolUntil(health, each, upstreamModel));
      const coolMs = ends.length === 0 ? 0 : Math.min(...ends) - now;
      return Math.max(health.breaker.restMs(now), coolMs, 1_000);
    });
    return Math.min(...waits);
  }

  /** Gives every channel and credential a fresh start: for an operator who knows that the trouble is over. */
  forgetAll(): void {
    for (const health of this.#channels.values()) {
      health.breaker = new Breaker();
      health.cooling = new WeakMap();
    }
  }

  /**
   * These are the channels from now on. One that leads elsewhere than before
   * is given a fresh start; those that are no more are let go of, once no call
   * is under way on them.
   */
  retain(channels: readonly Channel[]): void {
    const names = new Set(channels.map(({ name }) => name));
    for (const [name, { inFlight }] of this.#channels) {
      if (!names.has(name) && inFlight === 0) this.#channels.delete(name);
    }
    for (const channel of channels) {
      const health = this.#of(channel);
      if (channel.baseUrl === health.address) continue;
      health.address = channel.baseUrl;
      health.breaker = new Breaker();
    }
  }

  state(channel: Channel): "closed" | "open" | "half-open" {
    const known = this.#channels.get(channel.name);
    return known?.breaker.state(this.#clock.monotonic()) ?? "closed";
  }

  inFlight(channel: Channel): number {
    return this.#channels.get(channel.name)?.inFlight ?? 0;
  }

  /** A call that was planned before the channel was moved says nothing of where it leads now. */
  #breakerOf(channel: Channel): Breaker {
    const { breaker, address } = this.#of(channel);
    return channel.baseUrl === address ? breaker : new Breaker();
  }

  #of(channel: Channel): ChannelHealth {
    let health = this.#channels.get(channel.name);
    if (health === undefined) {
      health = {
        address: channel.baseUrl,
        breaker: new Breaker(),
        inFlight: 0,
        turn: 0,
        cooling: new WeakMap(),
      };
      this.#channels.set(channel.name, health);
    }
    return health;
  }
}

const NONE: ReadonlySet<Credential> = new Set();

interface ChannelHealth {
  address: string;
  breaker: Breaker;
  inFlight: number;
  turn: number;
  /** By model, until when. */
  cooling: WeakMap<Credential, Map<string, number>>;
}

function coolUntil({ cooling }: ChannelHealth, credential: Credential, model: string): number {
  return cooling.get(credential)?.get(model) ?? 0;
}

/**
 * Opens when half of at least twenty calls in ten seconds failed, or five in a
 * row; after a rest it lets one call through, which decides.
 */
class Breaker {
  #buckets: { at: number; calls: number; failures: number }[] = [];
  #failuresInARow = 0;
  #openUntil = 0;
  #isOpen = false;
  #isProbing = false;

  state(now: number): "closed" | "open" | "half-open" {
    if (!this.#isOpen) return "closed";
    return now < this.#openUntil || this.#isProbing ? "open" : "half-open";
  }

  restMs(now: number): number {
    return this.#isOpen ? Math.max(0, this.#openUntil - now) : 0;
  }

  enter(now: number): void {
    if (this.state(now) === "half-open") this.#isProbing = true;
  }

  succeeded(now: number): void {
    this.#failuresInARow = 0;
    if (this.#isOpen) this.#buckets = [];
    this.#isOpen = false;
    this.#isProbing = false;
    this.#count(now, 0);
  }

  failed(now: number): void {
    this.#failuresInARow++;
    this.#count(now, 1);
    const calls = this.#buckets.reduce((sum, each) => sum + each.calls, 0);
    const failures = this.#buckets.reduce((sum, each) => sum + each.failures, 0);
    const isBad = calls >= MIN_CALLS && failures * 2 >= calls;
    if (!isBad && !this.#isOpen && this.#failuresInARow < FAILURES_IN_A_ROW) return;
    this.#isOpen = true;
    this.#isProbing = false;
    this.#openUntil = now + OPEN_MS;
  }

  /** The call ended for a reason that is not the channel's: the next one is the probe. */
  undecided(): void {
    this.#isProbing = false;
  }

  #count(now: number, failures: number): void {
    const last = this.#buckets.at(-1);
    if (last !== undefined && now - last.at < BUCKET_MS) {
      last.calls++;
      last.failures += failures;
      return;
    }
    this.#buckets.push({ at: now, calls: 1, failures });
    if (
      this.#buckets.length > WINDOW_MS / BUCKET_MS ||
      now - (this.#buckets[0]?.at ?? now) > WINDOW_MS
    ) {
      this.#buckets = this.#buckets.filter((each) => now - each.at <= WINDOW_MS);
    }
  }
}
