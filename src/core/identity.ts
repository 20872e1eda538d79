import { GatewayError } from "./error.ts";
import type { NanoUsd } from "./money.ts";
import { isAtLeast, isEmail, type Role, type User, type UserDraft } from "./user.ts";

/** Who somebody is to an identity provider. */
export interface Identity {
  readonly issuer: string;
  /** Never given to anybody else by this issuer; everything else may change hands. */
  readonly subject: string;
  /** In small letters. */
  readonly email?: string;
  /** The provider vouches for the address. */
  readonly isEmailVerified: boolean;
  readonly displayName?: string;
  readonly userName?: string;
}

/** [OpenID Connect Core 1.0, section 2] */
export function isSubject(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text);
}

/** What is kept of a login that has gone to the provider. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Where users prove who they are. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Where to send the browser. Throws `upstream_unreachable`. */
  begin(): Promise<{ readonly url: string; readonly pending: PendingLogin }>;
  /**
   * Who came back with this answer. Throws `unauthenticated` unless all of it
   * is for this login and from this provider; `upstream_*` where it fails.
   */
  finish(pending: PendingLogin, answer: URLSearchParams): Promise<Identity>;
}

/** Which users somebody's identities are. */
export interface Identities {
  find(issuer: string, subject: string): Promise<User | undefined>;
  findByEmail(issuer: string, email: string): Promise<AddressOwner | undefined>;
  /** Throws `invalid_request` where the user has another identity of this issuer, or somebody else has this one. */
  link(userId: number, issuer: string, subject: string): Promise<void>;
  /** False where there is none. */
  unlink(userId: number, issuer: string): Promise<boolean>;
}

export interface AddressOwner {
  readonly user: User;
  /** The user is somebody else to this issuer already. */
  readonly isLinked: boolean;
}

export interface AdmissionRules {
  /** Of addresses; any where there are none. */
  readonly domains: readonly string[];
  readonly newUsers: "create" | "refuse";
  readonly role: Role;
  /** What a new user may spend in all; no bound where absent. */
  readonly quota?: NanoUsd;
}

/** What is to be done with somebody whom no user is linked to. Throws `forbidden`. */
export function admit(
  identity: Identity,
  owner: AddressOwner | undefined,
  { domains, newUsers, role, quota }: AdmissionRules,
): { readonly link: User } | { readonly create: UserDraft } {
  const { issuer, subject, displayName } = identity;
  const email = identity.isEmailVerified ? identity.email : undefined;
  if (domains.length > 0 && !domains.includes(domainOf(email))) {
    throw refusal("Your identity provider does not vouch for an address that may log in here.");
  }
  if (owner !== undefined) {
    // An address can be given to somebody else; an account is worth more the more it may do.
    const mayLink = email !== undefined && owner.user.email === email && !owner.isLinked;
    if (mayLink && !isAtLeast(owner.user.role, "admin")) return { link: owner.user };
    throw refusal("Your account here is not linked to this identity; an admin has to link it.");
  }
  if (newUsers === "refuse") {
    throw refusal("There is no account for you here; an admin has to make one.");
  }
  return {
    create: {
      name: nameFor(identity),
      role,
      identity: { issuer, subject },
      ...(email === undefined ? {} : { email }),
      ...(displayName === undefined ? {} : { displayName }),
      ...(quota === undefined ? {} : { quota }),
    },
  };
}

/** A name that a user may have, as near as can be to the one that the provider knows. */
function nameFor({ userName, email }: Identity): string {
  const [local = ""] = (userName ?? email ?? "").split("@");
  const name = local.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, "-");
  return name.replace(/^[^a-z0-9]+/, "").slice(0, 48) || "user";
}

function domainOf(email: string | undefined): string {
  return email !== undefined && isEmail(email) ? email.slice(email.lastIndexOf("@") + 1) : "";
}

function refusal(message: string): GatewayError {
  return new GatewayError("forbidden", message);
}
