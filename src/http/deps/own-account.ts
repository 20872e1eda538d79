import type { GroupStore } from "#core/group.ts";
import type { Identities } from "#core/identity.ts";
import type { SecondFactorRule, SecondFactors } from "#core/second-factor.ts";
import type { TeamStore } from "#core/team.ts";
import type { Logins } from "#core/user.ts";

/** Dependencies of the endpoint that shows all about the own account. */
export interface OwnAccountDeps {
  readonly identities: Pick<Identities, "issuersOf">;
  readonly logins: Pick<Logins, "listSessions">;
  readonly secondFactors: Pick<SecondFactors, "countRecoveryCodes">;
  /** May change: read it on each use. */
  readonly secondFactorRule: SecondFactorRule;
  readonly teams: Pick<TeamStore, "find">;
  readonly groups: Pick<GroupStore, "find">;
}
