import type { Credential } from "#core/channel.ts";
import type { FaultCode, GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";

const COOL_MS = 5_000;
const MAX_COOL_MS = 60_000;
const ACCOUNT_COOL_MS = 60_000;
/** A refusal of a second witness within this time confirms the first one. */
const WITNESS_MS = 60_000;
const MAX_KEYS = 100;

/** Kinds of the gateway's own requests, which no client can cause to be refused. */
export type OwnRequest = "models" | "balance";

/** The caller of a failed call. */
export type Caller = Pick<ApiKey, "id" | "userId">;

/**
 * Cooldowns of a channel's credentials, per model: most vendors limit each model separately, and an
 * account without one model may have the others.
 *
 * A failure that is certainly the account's applies to all callers at once. Any other applies to
 * its caller first: a rate limit sets a cooldown for that caller, a refusal sets none. It applies
 * to all callers if a second witness gets a refusal within a minute, without a success in between:
 * another user, or the gateway with a request of its own.
 */
export class Cooldowns {
  readonly #byCredential = new WeakMap<Credential, Map<string, Cooldown>>();
  readonly #ownRequests = new WeakMap<Credential, OwnRequests>();
  /** Some credential has a refusal of an own request that no answered call contradicts. */
  #hasOwnRefusal = false;

  /** Whether it is a refusal that needs a second witness. */
  add(
    credential: Credential,
    model: string,
    error: GatewayError,
    by: Caller,
    now: number,
  ): boolean {
    const models = this.#byCredential.get(credential) ?? new Map<string, Cooldown>();
    this.#byCredential.set(credential, models);
    let one = models.get(model);
    if (one === undefined) models.set(model, (one = new Cooldown()));
    one.add(error, by, now);
    if (!isDoubtful(error.code)) return false;
    if (this.#ownRequests.get(credential)?.isRefusedAt(now) === true) one.confirm(now);
    return one.endFor(undefined) <= now;
  }

  ownAnswered(credential: Credential, kind: OwnRequest): void {
    this.#ownOf(credential).accept(kind);
  }

  /** Confirms the refusals of calls that await a second witness, if this one is credible. */
  ownRefused(credential: Credential, kind: OwnRequest, error: GatewayError, now: number): void {
    if (!this.#ownOf(credential).refuse(kind, error, now)) return;
    this.#hasOwnRefusal = true;
    for (const one of this.#byCredential.get(credential)?.values() ?? []) one.confirm(now);
  }

  #ownOf(credential: Credential): OwnRequests {
    let own = this.#ownRequests.get(credential);
    if (own === undefined) this.#ownRequests.set(credential, (own = new OwnRequests()));
    return own;
  }

  /** A success of a call that started at `since` ends the cooldowns that were set before. */
  answered(credential: Credential, model: string, since: number): void {
    if (this.#hasOwnRefusal) this.#ownRequests.get(credential)?.contradict(since);
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

  /** A second witness agrees with a refusal that is noted. */
  confirm(now: number): void {
    const first = this.#witness;
    if (first === undefined || !isDoubtful(first.code) || now - first.at > WITNESS_MS) return;
    this.#until = Math.max(this.#until, now + ACCOUNT_COOL_MS);
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

/** Outcomes of the gateway's own requests with a credential. */
class OwnRequests {
  readonly #accepted = new Set<OwnRequest>();
  /** Refused although calls with the same credential are answered: such a key may only make calls. */
  readonly #contradicted = new Set<OwnRequest>();
  #refusal: { readonly kind: OwnRequest; readonly at: number } | undefined;

  accept(kind: OwnRequest): void {
    this.#accepted.add(kind);
    this.#contradicted.delete(kind);
    if (this.#refusal?.kind === kind) this.#refusal = undefined;
  }

  /** False if the refusal says nothing about the account. */
  refuse(kind: OwnRequest, error: GatewayError, now: number): boolean {
    if (this.#contradicted.has(kind) || !this.#isCredible(kind, error)) return false;
    this.#refusal = { kind, at: now };
    return true;
  }

  /** A call that started later than the refusal was answered. */
  contradict(since: number): void {
    if (this.#refusal === undefined || this.#refusal.at > since) return;
    this.#contradicted.add(this.#refusal.kind);
    this.#refusal = undefined;
  }

  isRefusedAt(now: number): boolean {
    return this.#refusal !== undefined && now - this.#refusal.at <= WITNESS_MS;
  }

  /**
   * A key may lack the permission for such a request only. So a refusal without clear words counts
   * if the request was accepted before, or if its status says that the key is not accepted at all.
   */
  #isCredible(kind: OwnRequest, { code, vendor }: GatewayError): boolean {
    if (code === "upstream_auth") return true;
    if (!isDoubtful(code)) return false;
    if (this.#accepted.has(kind)) return true;
    return code === "upstream_denied" && !PERMISSION.test(vendor?.reason ?? "");
  }
}

const PERMISSION = /permission|scope/i;

/** Refusals that either the account or the request may have caused. */
function isDoubtful(code: FaultCode): boolean {
  return code === "upstream_refused" || code === "upstream_denied";
}
