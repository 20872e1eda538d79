import type { GroupStore } from "#core/group.ts";
import type { Ledger } from "#core/ledger.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { SpendReports } from "#core/spend.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import type { TeamStore } from "#core/team.ts";
import type { UserStore } from "#core/user.ts";
import type { UserKeys } from "#core/user-keys.ts";
import type { Clock } from "#lib/clock.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AccountMailer } from "../account-mailer.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the administration of users, keys, groups, teams and quotas. */
export interface AccountDeps {
  readonly users: UserStore;
  readonly userKeys: UserKeys;
  readonly groups: GroupStore;
  readonly teams: TeamStore;
  readonly quotas: QuotaStore;
  readonly ledger: Pick<Ledger, "findAccount" | "findAccounts">;
  readonly usage: SpendReports;
  /** Undefined if not configured. */
  readonly accountMailer: AccountMailer | undefined;
  /** Reads a price with the rules of the configuration file; throws `invalid_request`. */
  readModel(name: string, json: JsonObject): ModelDraft;
  readonly clock: Clock;
  readonly limits: Pick<HttpLimits, "keysPerUser" | "serviceAccountsPerTeam" | "keyOverlapMs">;
}
