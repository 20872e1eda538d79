import type { BudgetChange } from "./budget.ts";
import type { NanoUsd } from "./money.ts";

/** Each role includes the rights of the roles before it. */
export const ROLES = ["user", "auditor", "admin", "root"] as const;
export type Role = (typeof ROLES)[number];

/** A person who can log in and own keys, or a service account of a team. */
export interface User {
  readonly id: number;
  /** Unique; accepted at login like the email address. */
  readonly name: string;
  /** In lower case. */
  readonly email?: string;
  readonly displayName: string;
  readonly role: Role;
  readonly isEnabled: boolean;
  readonly hasPassword: boolean;
  /** Without a group, only the global rules apply to the user. */
  readonly groupId?: number;
  readonly teamId?: number;
  /** May see the calls of the team. */
  readonly isTeamOwner?: true;
  /** It has keys and access tokens, but no login, and belongs to its team. */
  readonly isService?: true;
  /** Password logins also need a code. */
  readonly hasSecondFactor: boolean;
  /** Unix ms. */
  readonly createdAt: number;
}

export interface UserDraft {
  readonly name: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly role: Role;
  readonly password?: string;
  /** Total spending limit of all the user's keys; unlimited if absent. */
  readonly quota?: NanoUsd;
  readonly groupId?: number;
  readonly teamId?: number;
  readonly isTeamOwner?: boolean;
  readonly budgets?: BudgetChange;
  /** Makes it a service account of this team. */
  readonly serviceOf?: { readonly teamId: number; readonly most: number };
  /** The user's identity at an identity provider. */
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

/** Absent fields stay unchanged; a group of `null` removes the user from the group. */
export interface UserChange {
  /** `null` removes the address. */
  readonly email?: string | null;
  readonly displayName?: string;
  readonly role?: Role;
  readonly isEnabled?: boolean;
  readonly password?: string;
  readonly groupId?: number | null;
  /** `null` removes the user from the team. */
  readonly teamId?: number | null;
  /** Ends if the user leaves the team. */
  readonly isTeamOwner?: boolean;
}

/** A service account with the name of its team. */
export interface ServiceAccount {
  readonly user: User;
  readonly teamName: string;
}

interface UserFilter {
  /** A part of the name, display name or address. */
  readonly search?: string;
  readonly role?: Role;
  readonly isEnabled?: boolean;
  readonly groupId?: number;
  readonly teamId?: number;
}

/** The store of users. */
export interface UserStore {
  /**
   * Throws `invalid_request` if the name or the email address is taken, the group or the team does
   * not exist, or the team has too many service accounts.
   */
  create(draft: UserDraft): Promise<User>;
  find(id: number): Promise<User | undefined>;
  /** `email` in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  /** By ids and names, in one query. */
  findAll(of: {
    readonly ids: readonly number[];
    readonly names: readonly string[];
  }): Promise<readonly User[]>;
  /** Ordered by id, at most `limit` users after `afterId`. */
  list(afterId: number, limit: number, filter?: UserFilter): Promise<readonly User[]>;
  /** Of one team or of all, by id. */
  listServices(
    teamId: number | undefined,
    afterId: number,
    limit: number,
  ): Promise<readonly ServiceAccount[]>;
  /**
   * A new password or a disabled account ends all earlier logins. Undefined if
   * the user does not exist. Throws `invalid_request` if the group or the team
   * does not exist, or another user has the address; or for a service account's password or
   * address, or without its team.
   */
  change(id: number, change: UserChange): Promise<User | undefined>;
  /**
   * Takes the admin role from a user. Undefined if the user does not exist, or
   * if no other admin could log in afterwards.
   */
  lowerRole(id: number, role: Role): Promise<User | undefined>;
  /**
   * Deletes a user permanently: logins, access token and keys end, name and
   * address become free. False if the user does not exist. The root user cannot
   * be deleted.
   */
  delete(id: number): Promise<boolean>;
}

/** A logged-in browser's session. */
export interface Session {
  readonly user: User;
  /** The user passed a second factor or an equivalent. */
  readonly isConfirmed: boolean;
}

export interface SessionStart {
  readonly isConfirmed?: boolean;
  /** The network that the login came from, truncated for privacy. */
  readonly network?: string;
  /** Of the browser, shortened. */
  readonly userAgent?: string;
}

export interface SessionRecord {
  /** It tells the user's sessions apart, and is no secret. */
  readonly id: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms, to the minute. */
  readonly seenAt: number;
  readonly network?: string;
  readonly userAgent?: string;
  readonly isOwn: boolean;
}

/** Authentication of users. All methods return enabled users only. */
export interface Logins {
  /**
   * The name of the account that a name or address belongs to, or the
   * normalised login if no account matches. Failed logins by name and by
   * address are thus counted together.
   */
  accountName(login: string): Promise<string>;
  /**
   * Finds a user by name or address. Undefined if login or password is wrong;
   * the duration is the same in all cases. Throws `overloaded` if too many
   * logins run at once.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  /** The value of the session cookie. */
  startSession(userId: number, start?: SessionStart): Promise<string>;
  endSession(secret: string): Promise<void>;
  /** Ends all sessions except `kept`; returns their number. */
  endOtherSessions(userId: number, kept: string | undefined): Promise<number>;
  /** Ends the session with the id of its record; false if the user has no such session. */
  endSessionOf(userId: number, id: string): Promise<boolean>;
  findBySession(secret: string): Promise<Session | undefined>;
  /** Active sessions, the most recently used first; `own` is the current session. */
  listSessions(userId: number, own: string | undefined): Promise<readonly SessionRecord[]>;
  /**
   * Sets the first password of the root account. Undefined if the set-up token
   * is wrong or no longer valid.
   */
  setUp(token: string, email: string, password: string): Promise<User | undefined>;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Only ASCII, because letters of other scripts can look the same. */
export const USER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** A user name never looks like an email address, so a login is unambiguous. */
export function isUserName(text: string): boolean {
  return USER_NAME.test(text);
}

/** Rejects texts that cannot be an email address. Only a sent email proves that it exists. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,253}$/u.test(text);
}

export const PASSWORD_CHARS = { min: 12, max: 256 } as const;

/** The reason to refuse a password, to complete "The password"; undefined if it is acceptable. */
export function passwordProblem(password: string): string | undefined {
  const { min, max } = PASSWORD_CHARS;
  if (password.length < min) return `is too short: use ${min} to ${max} characters.`;
  if (password.length > max) return `is too long: use ${min} to ${max} characters.`;
  if (new Set(password).size < MIN_DIFFERENT) return "has too few different characters.";
  return undefined;
}

const MIN_DIFFERENT = 5;
