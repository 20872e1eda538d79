import type { Channel, Credential } from "#core/channel.ts";
import type { ChannelFailure, ChannelTroubles } from "#core/channel-troubles.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { Breaker, type BreakerState, type Passage } from "./breaker.ts";
import { Cooldowns, type Caller, type OwnRequest } from "./cooldowns.ts";

/**
 * At its limit of concurrent calls; circuit open after failures; all its credentials in cooldown;
 * disabled by the gateway until a test succeeds.
 */
export type UnavailableReason = "full" | "resting" | "cooling" | "disabled";

/** The destination of a call: a channel, and the upstream's model name. */
interface Destination {
  readonly channel: Channel;
  readonly upstreamModel: string;
}

/** A running call on a channel. */
export interface Visit {
  /**
   * Ends it, once: both the sender of the response and the handler of a disconnect may call it.
   * `error`: the failure, which may have a cause other than the upstream. `reason`: the vendor's
   * words without quotes from the request.
   */
  leave(error?: GatewayError, reason?: string): void;
}

/**
 * Health of the channels: open circuits, credentials in cooldown, and calls in flight. Each model
 * of a channel has its own circuit, because one model may fail while others work. Connection
 * failures count for the whole channel.
 */
export class Health {
  readonly #clock: Clock;
  readonly #onDoubt: (channel: Channel, credential: Credential) => void;
  readonly #channels = new Map<string, ChannelHealth>();
  #disabled: ReadonlySet<string> = new Set();

  /** `onDoubt`: a call was refused, and whether its account is at fault needs a second witness. */
  constructor(
    clock: Clock,
    onDoubt: (channel: Channel, credential: Credential) => void = () => {},
  ) {
    this.#clock = clock;
    this.#onDoubt = onDoubt;
  }

  /** Whether a call may be sent there now. Lets one call probe a half-open circuit. */
  mayTry(to: Destination): boolean {
    return this.unavailableReason(to) === undefined;
  }

  /** The reason why a call may not be sent there now, if another channel exists. */
  unavailableReason(to: Destination): UnavailableReason | undefined {
    const { channel, upstreamModel } = to;
    const health = this.#of(channel);
    if (health.isDisabled) return "disabled";
    const now = this.#clock.monotonic();
    if (health.inFlight >= channel.maxConcurrent) return "full";
    if (health.breaker.state(now) === "open") return "resting";
    if (health.models.get(upstreamModel)?.state(now) === "open") return "resting";
    if (channel.credentials.length === 0 || this.pick(to, NO_CREDENTIALS) !== undefined)
      return undefined;
    return "cooling";
  }

  /**
   * Whether a call without an alternative may be sent there. An open circuit is tried, and so is a
   * credential in cooldown for other callers only.
   */
  mayTryAnyway(to: Destination, caller: Caller): boolean {
    const { channel } = to;
    const { isDisabled, inFlight } = this.#of(channel);
    if (isDisabled || inFlight >= channel.maxConcurrent) return false;
    return (
      channel.credentials.length === 0 || this.pickAnyway(to, NO_CREDENTIALS, caller) !== undefined
    );
  }

  /** Takes a slot on the channel; the caller releases it with `leave`. */
  enter(to: Destination, credential?: Credential): Visit {
    const { channel, upstreamModel } = to;
    const health = this.#of(channel);
    // A call that was planned before the channel's address changed does not count for the new one.
    const isHere = channel.baseUrl === health.address;
    const breaker = isHere ? health.breaker : new Breaker();
    const model = isHere ? breakerOf(health, upstreamModel) : new Breaker();
    return new Entered(health, breaker, model, to, credential, this.#clock);
  }

  /** The next credential in round-robin order that is neither in cooldown nor already tried. */
  pick(to: Destination, tried: ReadonlySet<Credential>): Credential | undefined {
    return this.#pick(to, tried, undefined);
  }

  /** The same for a caller without an alternative. */
  pickAnyway(
    to: Destination,
    tried: ReadonlySet<Credential>,
    caller: Caller,
  ): Credential | undefined {
    return this.#pick(to, tried, caller);
  }

  /** `caller`: of a call without an alternative. */
  #pick(
    { channel, upstreamModel }: Destination,
    tried: ReadonlySet<Credential>,
    caller: Caller | undefined,
  ): Credential | undefined {
    const { turn, cooldowns } = this.#of(channel);
    const now = this.#clock.monotonic();
    const { credentials } = channel;
    for (let i = 0; i < credentials.length; i++) {
      const each = credentials[(turn + i) % credentials.length];
      if (each === undefined || tried.has(each)) continue;
      const coolUntil =
        caller === undefined
          ? cooldowns.endOf(each, upstreamModel)
          : cooldowns.endFor(each, upstreamModel, caller);
      if (coolUntil <= now) return each;
    }
    return undefined;
  }

  turn(channel: Channel): void {
    this.#of(channel).turn++;
  }

  /** Records that the vendor refused a credential or asked to wait. */
  cool(
    { channel, upstreamModel }: Destination,
    credential: Credential,
    error: GatewayError,
    caller: Caller,
  ): void {
    const now = this.#clock.monotonic();
    const { cooldowns } = this.#of(channel);
    const needsWitness = cooldowns.add(credential, upstreamModel, error, caller, now);
    if (needsWitness) this.#onDoubt(channel, credential);
  }

  /**
   * Makes one of the gateway's own requests, and records whether the vendor accepts the credential:
   * its refusal is a second witness.
   */
  async witness<T>(
    channel: Channel,
    credential: Credential | undefined,
    kind: OwnRequest,
    request: () => Promise<T>,
  ): Promise<T> {
    try {
      const answer = await request();
      if (credential !== undefined) this.#of(channel).cooldowns.ownAnswered(credential, kind);
      return answer;
    } catch (cause) {
      if (credential !== undefined) {
        const now = this.#clock.monotonic();
        const error = GatewayError.from(cause);
        this.#of(channel).cooldowns.ownRefused(credential, kind, error, now);
      }
      throw cause;
    }
  }

  /** Ms until some channel may be tried again by this caller. */
  waitMs(destinations: readonly Destination[], caller?: Caller): number {
    const now = this.#clock.monotonic();
    const waits = destinations.map(({ channel, upstreamModel }) => {
      const { breaker, models, cooldowns } = this.#of(channel);
      const ends = channel.credentials.map((each) =>
        caller === undefined
          ? cooldowns.endOf(each, upstreamModel)
          : cooldowns.endFor(each, upstreamModel, caller),
      );
      const coolMs = ends.length === 0 ? 0 : Math.min(...ends) - now;
      const openMs = Math.max(
        breaker.cooldownMs(now),
        models.get(upstreamModel)?.cooldownMs(now) ?? 0,
      );
      return Math.max(openMs, coolMs, 1_000);
    });
    return Math.min(...waits);
  }

  /**
   * The error that put all credentials into cooldown there, taken from the first one; undefined if
   * some are usable.
   */
  cooldownCause(to: Destination, caller: Caller): GatewayError | undefined {
    const { channel, upstreamModel } = to;
    const [first] = channel.credentials;
    if (first === undefined || this.pickAnyway(to, NO_CREDENTIALS, caller) !== undefined)
      return undefined;
    return this.#of(channel).cooldowns.causeOf(first, upstreamModel);
  }

  /** Resets every circuit and cooldown: for an operator who knows that the problem is solved. */
  forgetAll(): void {
    for (const health of this.#channels.values()) {
      resetBreakers(health);
      health.cooldowns = new Cooldowns();
    }
  }

  /**
   * Sets the current channels. A channel with a new address is reset; removed ones are deleted
   * after their last call.
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
      resetBreakers(health);
    }
  }

  /** The channels that the gateway disabled; all others are not. */
  setDisabled(channels: ReadonlySet<string>): void {
    for (const [name, health] of this.#channels) {
      const isDisabled = channels.has(name);
      // After a return, earlier refusals and failures say nothing.
      if (health.isDisabled && !isDisabled) {
        resetBreakers(health);
        health.cooldowns = new Cooldowns();
        health.refusals.clear();
      }
      health.isDisabled = isDisabled;
    }
    this.#disabled = channels;
  }

  /** The reasons for which a channel may be ill, for its operator. */
  troubles(channel: Channel): ChannelTroubles {
    const { refusals, lastFailure, cooldowns, models } = this.#of(channel);
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const labels = new Set(channel.credentials.map(({ label }) => label));
    const ends = channel.credentials.map((each) =>
      Math.max(0, ...[...models.keys()].map((model) => cooldowns.endOf(each, model))),
    );
    const coolMs = ends.length === 0 ? 0 : Math.min(...ends) - monotonic;
    const openMs = Math.max(
      this.#of(channel).breaker.cooldownMs(monotonic),
      ...[...models.values()].map((each) => each.cooldownMs(monotonic)),
    );
    return {
      refusals: [...refusals.values()].filter(({ credential }) => labels.has(credential)),
      lastFailure,
      cooldownUntil: coolMs > 0 ? now + coolMs : undefined,
      openUntil: openMs > 0 ? now + openMs : undefined,
    };
  }

  /** The state of a channel: that of its worst circuit. */
  state(channel: Channel): BreakerState {
    const known = this.#channels.get(channel.name);
    if (known === undefined) return "closed";
    const now = this.#clock.monotonic();
    const states = [known.breaker, ...known.models.values()].map((each) => each.state(now));
    return WORST_FIRST.find((each) => states.includes(each)) ?? "closed";
  }

  inFlight(channel: Channel): number {
    return this.#channels.get(channel.name)?.inFlight ?? 0;
  }

  #of(channel: Channel): ChannelHealth {
    let health = this.#channels.get(channel.name);
    if (health === undefined) {
      health = {
        address: channel.baseUrl,
        breaker: new Breaker(),
        models: new Map(),
        inFlight: 0,
        turn: 0,
        cooldowns: new Cooldowns(),
        refusals: new Map(),
        lastFailure: undefined,
        isDisabled: this.#disabled.has(channel.name),
      };
      this.#channels.set(channel.name, health);
    }
    return health;
  }
}

const NO_CREDENTIALS: ReadonlySet<Credential> = new Set();
const WORST_FIRST: readonly BreakerState[] = ["open", "half-open"];
/** Limit per channel: some accept any model name. */
const MAX_MODELS = 1_000;

interface ChannelHealth {
  address: string;
  /** Whether the upstream can be reached. */
  breaker: Breaker;
  readonly models: Map<string, Breaker>;
  inFlight: number;
  turn: number;
  cooldowns: Cooldowns;
  /** By the credential's label, until it succeeds. */
  readonly refusals: Map<string, ChannelFailure>;
  lastFailure: ChannelFailure | undefined;
  /** By the gateway. */
  isDisabled: boolean;
}

function breakerOf({ models }: ChannelHealth, model: string): Breaker {
  let breaker = models.get(model);
  if (breaker !== undefined) return breaker;
  const [oldest] = models.size >= MAX_MODELS ? models.keys() : [];
  if (oldest !== undefined) models.delete(oldest);
  models.set(model, (breaker = new Breaker()));
  return breaker;
}

function resetBreakers(health: ChannelHealth): void {
  health.breaker = new Breaker();
  health.models.clear();
}

class Entered implements Visit {
  readonly #health: ChannelHealth;
  readonly #breaker: Breaker;
  readonly #modelBreaker: Breaker;
  readonly #passage: Passage;
  readonly #modelPassage: Passage;
  readonly #model: string;
  readonly #credential: Credential | undefined;
  readonly #clock: Clock;
  readonly #enteredAt: number;
  #hasLeft = false;

  constructor(
    health: ChannelHealth,
    breaker: Breaker,
    modelBreaker: Breaker,
    { upstreamModel }: Destination,
    credential: Credential | undefined,
    clock: Clock,
  ) {
    this.#health = health;
    this.#breaker = breaker;
    this.#modelBreaker = modelBreaker;
    this.#model = upstreamModel;
    this.#credential = credential;
    this.#clock = clock;
    this.#enteredAt = clock.monotonic();
    this.#passage = breaker.enter(this.#enteredAt);
    this.#modelPassage = modelBreaker.enter(this.#enteredAt);
    health.inFlight++;
  }

  leave(error?: GatewayError, reason?: string): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#health.inFlight--;
    const now = this.#clock.monotonic();
    const isUnreachable = error?.code === "upstream_unreachable";
    const hasAnswered = error === undefined || error.vendor !== undefined;
    this.#breaker.leave(this.#passage, isUnreachable || (hasAnswered ? false : undefined), now);
    this.#modelBreaker.leave(
      this.#modelPassage,
      isUnreachable ? undefined : modelFailed(error),
      now,
    );
    if (error !== undefined) this.#noteFailure(error, reason);
    else if (this.#health.refusals.size > 0) {
      this.#health.refusals.delete(this.#credential?.label ?? "");
    }
    if (error === undefined && this.#credential !== undefined) {
      this.#health.cooldowns.answered(this.#credential, this.#model, this.#enteredAt);
    }
  }

  #noteFailure(error: GatewayError, reason: string | undefined): void {
    const { code, fault, vendor, message } = error;
    if (fault.blame !== "upstream" && fault.blame !== "operator") return;
    const { refusals } = this.#health;
    const credential = this.#credential?.label ?? "";
    const failure: ChannelFailure = {
      since: this.#clock.now(),
      code,
      credential,
      status: vendor?.status,
      reason: reason ?? (vendor === undefined ? message : "the vendor answered with an error"),
    };
    this.#health.lastFailure = failure;
    if (!isRefusal(code)) return;
    refusals.set(credential, {
      ...failure,
      since: refusals.get(credential)?.since ?? failure.since,
    });
  }
}

/** The vendor does not accept the credential. */
export function isRefusal(code: FaultCode): boolean {
  return code === "upstream_auth" || code === "upstream_denied";
}

/** A client's error or disconnect says nothing about the upstream. */
function modelFailed(error: GatewayError | undefined): boolean | undefined {
  if (error === undefined) return false;
  return error.fault.trips === true ? true : undefined;
}
