import type { DisplayCurrency } from "#core/display-currency.ts";
import type { Identities } from "#core/identity.ts";
import type { InvitationStore } from "#core/invitation.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { MailLinks } from "#core/mail-link.ts";
import type { SecondFactorRule, SecondFactors } from "#core/second-factor.ts";
import type { Logins, UserStore } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import type { AccountMailer } from "../account-mailer.ts";
import type { SingleSignOn } from "../single-sign-on.ts";

/** Dependencies of logins, sessions, second factors and a user's own account. */
export interface LoginDeps {
  readonly users: UserStore;
  readonly logins: Logins;
  readonly loginLimits: LoginLimiter;
  readonly secondFactors: SecondFactors;
  /** May change: read it on each use. */
  readonly secondFactorRule: SecondFactorRule;
  /** May change: read it on each use. */
  readonly displayCurrency: DisplayCurrency | undefined;
  readonly identities: Identities;
  readonly invitations: Pick<InvitationStore, "findOpen" | "accept">;
  readonly mailLinks: MailLinks;
  /** Undefined if not configured. */
  readonly accountMailer: AccountMailer | undefined;
  /** Undefined if not configured. */
  readonly singleSignOn: SingleSignOn | undefined;
  /** Without a trailing slash; undefined if not configured. */
  readonly publicUrl: string | undefined;
  readonly clock: Clock;
}
