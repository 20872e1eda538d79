import type { JsonObject } from "#lib/json.ts";
import { GatewayError } from "./error.ts";
import type { NanoUsd } from "./money.ts";
import { isAtLeast, isEmail, type Role, type User, type UserDraft } from "./user.ts";

/** A person's identity at an identity provider. */
export interface Identity {
  readonly issuer: string;
  /** The issuer never reuses the subject; all other claims may move to another person. */
  readonly subject: string;
  /** In lower case. */
  readonly email?: string;
  /** The provider verified the address. */
  readonly isEmailVerified: boolean;
  readonly displayName?: string;
  readonly userName?: string;
  /** All claims, for the rules that give roles, teams and groups. */
  readonly claims?: JsonObject;
}

/** [OpenID Connect Core 1.0, section 2] */
export function isSubject(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text);
}

/** State of a login that was sent to the provider. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A provider that authenticates users. */
export interface IdentityProvider {
  readonly issuer: string;
  /** The URL to redirect the browser to. Throws `upstream_unreachable`. */
  begin(): Promise<{ readonly url: string; readonly pending: PendingLogin }>;
  /**
   * The identity from the provider's response. Throws `unauthenticated` unless
   * the whole response is for this login and from this provider; `upstream_*`
   * if the provider fails. `neededClaims`: paths that are looked for in the
   * profile if the token lacks them.
   */
  finish(
    pending: PendingLogin,
    answer: URLSearchParams,
    neededClaims: readonly string[],
  ): Promise<Identity>;
}

/** Links between users and their identities. */
export interface Identities {
  find(issuer: string, subject: string): Promise<User | undefined>;
  findByEmail(issuer: string, email: string): Promise<AddressOwner | undefined>;
  /**
   * Throws `invalid_request` if the user has another identity of this issuer,
   * or another user has this identity.
   */
  link(userId: number, issuer: string, subject: string): Promise<void>;
  /** The issuers of the user's identities. */
  issuersOf(userId: number): Promise<readonly string[]>;
  /** False if the user has no such identity. */
  unlink(userId: number, issuer: string): Promise<boolean>;
}

export interface AddressOwner {
  readonly user: User;
  /** The user is already linked to another identity of this issuer. */
  readonly isLinked: boolean;
}

export interface AdmissionRules {
  /** Allowed email domains; empty allows any. */
  readonly domains: readonly string[];
  readonly newUsers: "create" | "refuse";
  readonly role: Role;
  /** Total spending limit of a new user; unlimited if absent. */
  readonly quota?: NanoUsd;
}

/** Decides about a login by an identity without a linked user. Throws `forbidden`. */
export function admit(
  identity: Identity,
  owner: AddressOwner | undefined,
  { domains, newUsers, role, quota }: AdmissionRules,
): { readonly link: User } | { readonly create: UserDraft } {
  const { issuer, subject, displayName } = identity;
  const email = identity.isEmailVerified ? identity.email : undefined;
  if (domains.length > 0 && !domains.includes(domainOf(email))) {
    throw refusal("Your identity provider sent no verified email address of an allowed domain.");
  }
  if (owner?.user.isService === true) throw refusal("A service account has no login.");
  if (owner !== undefined) {
    // An email address can be reassigned to another person, so admin accounts
    // are never linked automatically.
    const mayLink = email !== undefined && owner.user.email === email && !owner.isLinked;
    if (mayLink && !isAtLeast(owner.user.role, "admin")) return { link: owner.user };
    throw refusal("Your account is not linked to this identity. Ask an admin to link it.");
  }
  if (newUsers === "refuse") {
    throw refusal("You have no account here. Ask an admin to create one.");
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

/** A valid user name, as close as possible to the provider's name. */
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
