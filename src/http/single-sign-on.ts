import type { AdmissionRules, IdentityProvider } from "#core/identity.ts";
import type { Seal } from "#lib/seal.ts";

/** Logins by somebody else's word. */
export interface SingleSignOn {
  readonly provider: IdentityProvider;
  /** Label of the login button. */
  readonly name: string;
  readonly rules: AdmissionRules;
  /** The provider has already verified a second factor. */
  readonly isSecondFactor: boolean;
  /** Encrypts the login state that the browser holds meanwhile. */
  readonly seal: Seal;
}
