import type { RedemptionCodes } from "#core/redemption-code.ts";
import type { RegistrationRules } from "#core/registration.ts";
import type { InvitationStore } from "#core/invitation.ts";
import type { Ledger } from "#core/ledger.ts";
import type { GroupStore } from "#core/group.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { Clock } from "#lib/clock.ts";
import type { LoginDeps } from "./logins.ts";

/** Dependencies of invitations. */
export interface JoiningDeps extends Pick<
  LoginDeps,
  "accountMailer" | "logins" | "loginLimits" | "publicUrl" | "secondFactorRule" | "singleSignOn"
> {
  readonly invitations: InvitationStore;
  readonly quotas: Pick<QuotaStore, "budgets">;
  readonly ledger: Pick<Ledger, "findAccount">;
  readonly clock: Clock;
}

/** Dependencies of self-registration. */
export interface RegistrationDeps extends Pick<
  LoginDeps,
  | "accountMailer"
  | "logins"
  | "loginLimits"
  | "mailLinks"
  | "secondFactorRule"
  | "singleSignOn"
  | "users"
> {
  readonly groups: Pick<GroupStore, "findByName">;
  /** May change: read it on each use. */
  readonly registration: RegistrationRules;
}

/** Dependencies of redemption codes. */
export interface RedemptionDeps extends Pick<LoginDeps, "loginLimits"> {
  readonly codes: RedemptionCodes;
  readonly quotas: QuotaStore;
  readonly ledger: Pick<Ledger, "findAccount">;
  readonly clock: Clock;
}
