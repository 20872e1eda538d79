import type { Credential } from "#core/channel.ts";
import type { FaultCode, GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";

const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const ACCOUNT_COOL_MS = 60_000;
/** A second caller's refusal within this time confirms the first one's. */
const WITNESS_MS = 60_000;
const MAX_KEYS = 100;

/** Whose call it was. */
export type Caller = Pick<ApiKey, "id" | "userId">;

/**
 * Which credentials of a channel are in cooldown, each for one model: most
 * vendors limit each model by itself, and an account that may not use one may
 * use the others.
 *
 * A failure that is the account's by its words holds for everybody at once.
 * Any other is at first one caller's: a limit keeps that caller away, and a
 * refusal nobody. It holds for everybody when a second user meets the same
 * within a minute, and nothing was answered in between.
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

  /** An answer that was asked for at `since`: what one caller met before then is over. */
  answered(credential: Credential, model: string, since: number): void {
    const models = this.#byCredential.get(credential);
    const one = models?.get(model);
    if (one !== undefined && one.isRefutedBy(since)) models?.delete(model);
  }

  /** When the credential may be used by anybody. */
  endOf(credential: Credential, model: string): number {
    return this.#byCredential.get(credential)?.get(model)?.end ?? 0;
  }

  /** When this caller may use it, who has nothing else to turn to. */
  endFor(credential: Credential, model: string, caller: Caller | undefined): number {
    return this.#byCredential.get(credential)?.get(model)?.endFor(caller) ?? 0;
  }

  /** Why the credential is in cooldown. */
  causeOf(credential: Credential, model: string): GatewayError | undefined {
    return this.#byCredential.get(credential)?.get(model)?.cause;
  }
}

class Cooldown {
  cause: GatewayError | undefined;
  /** For everybody. */
  #until = 0;
  /** By key, for those alone. */
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
