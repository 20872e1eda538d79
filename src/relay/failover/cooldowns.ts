import type { Credential } from "#core/channel.ts";
import type { FaultCode, GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";

const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const ACCOUNT_COOL_MS = 60_000;
/** A refusal of a second caller within this time confirms the first one. */
const WITNESS_MS = 60_000;
const MAX_KEYS = 100;

/** The caller of a failed call. */
export type Caller = Pick<ApiKey, "id" | "userId">;

/**
 * Cooldowns of a channel's credentials, per model: most vendors limit each model separately, and an
 * account without one model may have the others.
 *
 * A failure that is certainly the account's applies to all callers at once. Any other applies to
 * its caller first: a rate limit sets a cooldown for that caller, a refusal sets none. It applies
 * to all callers if a second user gets the same failure within a minute, without a success in
 * between.
 */
export class Cooldowns {
  readonly #byCredential = new WeakMap<Credential, Map<string, Cooldown>>();

  add(credential: Credential, model: string, error: GatewayError, by: Caller, now: number): void {
    const models = this.#byCredential.get(credential) ?? new Map<string, Cooldown>();
    this.#byCredential.set(credential, models);
    let one = models.get(model);
    if (one === undefined) models.set(model, (one = new Cooldown()));
    one.add(error, by, now);
  }

  /** A success of a call that started at `since` ends the cooldowns that were set before. */
  answered(credential: Credential, model: string, since: number): void {
    const models = this.#byCredential.get(credential);
    const one = models?.get(model);
    if (one !== undefined && one.isRefutedBy(since)) models?.delete(model);
  }

  /** The time from which all callers may use the credential. */
  endOf(credential: Credential, model: string): number {
    return this.#byCredential.get(credential)?.get(model)?.end ?? 0;
  }

  /** The time from which this caller may use it, if no alternative exists. */
  endFor(credential: Credential, model: string, caller: Caller | undefined): number {
    return this.#byCredential.get(credential)?.get(model)?.endFor(caller) ?? 0;
  }

  /** The error that caused the credential's cooldown. */
  causeOf(credential: Credential, model: string): GatewayError | undefined {
    return this.#byCredential.get(credential)?.get(model)?.cause;
  }
}

class Cooldown {
  cause: GatewayError | undefined;
  /** For all callers. */
  #until = 0;
  /** For single keys. */
  #byKey = new Map<number, number>();
  #witness: { readonly userId: number; readonly code: FaultCode; readonly at: number } | undefined;

  add(error: GatewayError, by: Caller, now: number): void {
    const { code, retryAfterMs = COOL_MS, fault } = error;
    this.cause = error;
    if (code === "upstream_auth") {
      this.#until = now + ACCOUNT_COOL_MS;
      return;
    }
    const isLimit = fault.next === "credential";
    const until = now + (isLimit ? Math.min(retryAfterMs, MAX_COOL_MS) : ACCOUNT_COOL_MS);
    const first = this.#witness;
    const isConfirmed =
      first !== undefined &&
      first.userId !== by.userId &&
      first.code === code &&
      now - first.at <= WITNESS_MS;
    if (isConfirmed) this.#until = Math.max(this.#until, until);
    else this.#witness = { userId: by.userId, code, at: now };
    if (!isLimit) return;
    if (this.#byKey.size >= MAX_KEYS) this.#byKey.clear();
    this.#byKey.set(by.id, until);
  }

  isRefutedBy(since: number): boolean {
    return this.#until <= since && (this.#witness === undefined || this.#witness.at < since);
  }

  get end(): number {
    return Math.max(this.#until, ...this.#byKey.values());
  }

  endFor(caller: Caller | undefined): number {
    const own = caller === undefined ? undefined : this.#byKey.get(caller.id);
    return Math.max(this.#until, own ?? 0);
  }
}
