import type { GatewayFacts } from "#core/alert.ts";
import type { CallRecord } from "#core/call.ts";
import type { ChannelTroubles } from "#core/channel-troubles.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import type { Health } from "../failover/health.ts";
import type { ChannelRegistry } from "../routing/channel-registry.ts";
import { GUESSES_MS } from "./evaluate.ts";

interface GatewayWatchDeps {
  readonly instance: string;
  readonly clock: Clock;
  readonly health: Pick<Health, "troubles">;
  readonly registry: Pick<ChannelRegistry, "channels" | "isSimulated">;
  /** Undefined if no Redis is configured. */
  isRedisUp(): boolean | undefined;
  /** Sentences about secrets of the operator, by a stable name. */
  secrets(): Readonly<Record<string, string>>;
}

const MAX_MODELS = 200;
const MAX_ADDRESSES = 1_000;
const MAX_ATTEMPTS = 200;
/** Fewer failures of an address are usual. */
const FEW_FAILURES = 5;
const MAX_SHOWN = 50;

/** Collects the facts that only this gateway knows. */
export class GatewayWatch {
  readonly #deps: GatewayWatchDeps;
  readonly #unpriced = new Map<string, number>();
  readonly #jobs = new Map<string, { failures: number; readonly since: number }>();
  /** Times of attempts without success, by address. */
  readonly #logins = new Map<string, number[]>();
  #certificates: GatewayFacts["certificates"] = [];
  #redisDownSince: number | undefined;

  constructor(deps: GatewayWatchDeps) {
    this.#deps = deps;
  }

  observe({ isUnpriced, model }: CallRecord): void {
    if (isUnpriced !== true) return;
    if (!this.#unpriced.has(model) && this.#unpriced.size >= MAX_MODELS) return;
    this.#unpriced.set(model, this.#deps.clock.now());
  }

  jobEnded(name: string, isFailed: boolean): void {
    const before = this.#jobs.get(name);
    if (!isFailed) this.#jobs.delete(name);
    else if (before === undefined) {
      this.#jobs.set(name, { failures: 1, since: this.#deps.clock.now() });
    } else before.failures++;
  }

  foundCertificates(certificates: GatewayFacts["certificates"]): void {
    this.#certificates = certificates;
  }

  /** The same limiter; its attempts are counted. */
  watchLogins(limiter: LoginLimiter): LoginLimiter {
    return {
      enter: (login, address) => {
        this.#loginAttempted(address);
        return limiter.enter(login, address);
      },
      succeeded: (login, address) => {
        this.#logins.get(address ?? "")?.pop();
        limiter.succeeded(login, address);
      },
    };
  }

  #loginAttempted(address = ""): void {
    const times = this.#logins.get(address) ?? [];
    times.push(this.#deps.clock.now());
    if (times.length > MAX_ATTEMPTS) times.shift();
    this.#logins.delete(address);
    const [oldest] = this.#logins.size >= MAX_ADDRESSES ? this.#logins.keys() : [];
    if (oldest !== undefined) this.#logins.delete(oldest);
    this.#logins.set(address, times);
  }

  facts(): GatewayFacts {
    const { instance, registry, clock } = this.#deps;
    return {
      instance,
      troubles: this.#troubles(),
      unpriced: [...this.#unpriced].map(([model, at]) => ({ model, at })),
      isSimulated: registry.isSimulated,
      jobs: [...this.#jobs].map(([name, job]) => ({ name, ...job })),
      certificates: this.#certificates,
      secrets: this.#deps.secrets(),
      guesses: this.#guesses(clock.now()),
      ...defined({ redisDownSince: this.#redisDown(clock.now()) }),
    };
  }

  #troubles(): Record<string, ChannelTroubles> {
    const troubles: Record<string, ChannelTroubles> = {};
    for (const { channel } of this.#deps.registry.channels) {
      const each = this.#deps.health.troubles(channel);
      if (each.refusals.length > 0 || each.lastFailure !== undefined) troubles[channel.name] = each;
    }
    return troubles;
  }

  #guesses(now: number): GatewayFacts["guesses"] {
    const guesses: GatewayFacts["guesses"][number][] = [];
    for (const [address, times] of this.#logins) {
      const recent = times.filter((at) => at > now - GUESSES_MS);
      const last = recent.at(-1);
      if (last === undefined) this.#logins.delete(address);
      else {
        this.#logins.set(address, recent);
        if (recent.length < FEW_FAILURES) continue;
        guesses.push({
          address: address === "" ? "an unknown address" : address,
          failures: recent.length,
          at: last,
        });
      }
    }
    return guesses.toSorted((one, other) => other.failures - one.failures).slice(0, MAX_SHOWN);
  }

  #redisDown(now: number): number | undefined {
    const isDown = this.#deps.isRedisUp() === false;
    this.#redisDownSince = isDown ? (this.#redisDownSince ?? now) : undefined;
    return this.#redisDownSince;
  }
}
