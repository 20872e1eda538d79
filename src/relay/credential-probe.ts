import type { Channel, Credential } from "#core/channel.ts";
import type { Egress } from "#egress/egress.ts";
import type { Clock } from "#lib/clock.ts";
import { findProvider } from "#providers/index.ts";
import type { Health } from "./failover/health.ts";
import { askForModels } from "./routing/discover.ts";

/** A credential is asked about at most this often, however many calls are refused. */
const LEAST_INTERVAL_MS = 60_000;
const LONGEST_MS = 30_000;

interface CredentialProbeDeps {
  readonly egress: Pick<Egress, "send">;
  readonly health: Pick<Health, "witness">;
  readonly clock: Pick<Clock, "monotonic">;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}

/**
 * Asks a vendor for its model list, which is free, after a call was refused without clear words. So
 * a gateway with a single user learns, too, that its credential is not accepted any more.
 */
export class CredentialProbe {
  readonly #deps: CredentialProbeDeps;
  readonly #askedAt = new WeakMap<Credential, number>();

  constructor(deps: CredentialProbeDeps) {
    this.#deps = deps;
  }

  /** In the background: the call does not wait for it. */
  start(channel: Channel, credential: Credential): void {
    if (findProvider(channel.provider)?.modelsPath === undefined) return;
    const now = this.#deps.clock.monotonic();
    if (now - (this.#askedAt.get(credential) ?? -Infinity) < LEAST_INTERVAL_MS) return;
    this.#askedAt.set(credential, now);
    void this.#ask(channel, credential);
  }

  async #ask(channel: Channel, credential: Credential): Promise<void> {
    const { egress, health, signal } = this.#deps;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    const request = health.witness(channel, credential, "models", () =>
      askForModels(channel, egress, limited, credential),
    );
    // Its refusal is recorded, and other failures say nothing about the credential.
    await Promise.allSettled([request]);
  }
}
