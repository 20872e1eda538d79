import type { Ledger } from "#core/ledger.ts";
import type { UsageReports } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";
import type { CallDeps } from "#relay/call-deps.ts";
import type { Channels } from "#relay/routing/channels.ts";

/** Dependencies of the endpoints that show a key to its holder. */
export interface HolderDeps {
  readonly channels: Channels;
  readonly ledger: Pick<Ledger, "findAccount">;
  readonly usage: UsageReports;
  readonly relay: Pick<CallDeps, "admission">;
  readonly clock: Clock;
}
