import type { InvitationStore } from "#core/invitation.ts";
import type { Ledger } from "#core/ledger.ts";
import type { Mailer } from "#core/mail.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { Clock } from "#lib/clock.ts";
import type { LoginDeps } from "./logins.ts";

/** Dependencies of invitations. */
export interface JoiningDeps extends Pick<
  LoginDeps,
  "logins" | "loginLimits" | "secondFactorRule" | "singleSignOn" | "publicUrl"
> {
  readonly invitations: InvitationStore;
  readonly quotas: Pick<QuotaStore, "budgets">;
  readonly ledger: Pick<Ledger, "findAccount">;
  /** Undefined if no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly clock: Clock;
}
