import type { AdmissionRules, IdentityProvider } from "#core/identity.ts";
import type { ApplySignOnRules } from "./sign-on-grants.ts";
import type { Seal } from "#lib/seal.ts";

/** Logins by somebody else's word. */
export interface SingleSignOn {
  readonly provider: IdentityProvider;
  /** Label of the login button. */
  readonly name: string;
  readonly rules: AdmissionRules;
  /** Gives role, team and group at each login. */
  readonly applyRules: ApplySignOnRules;
  /** Paths of the claims that the rules read. */
  neededClaims(): readonly string[];
  /** The provider has already verified a second factor. */
  readonly isSecondFactor: boolean;
  /** Encrypts the login state that the browser holds meanwhile. */
  readonly seal: Seal;
}
