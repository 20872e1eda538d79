import type { NanoUsd } from "./money.ts";

/** How access tokens begin, by which one is told from an API key. */
export const ACCESS_TOKEN_PREFIX = "slc-user_";

/** Each may do what the ones before it may. */
export const ROLES = ["user", "auditor", "admin", "root"] as const;
export type Role = (typeof ROLES)[number];

/** Somebody who may log in, and who owns keys. */
export interface User {
  readonly id: number;
  /** Unique, and a login as good as the address. */
  readonly name: string;
  /** In small letters. */
  readonly email?: string;
  readonly displayName: string;
  readonly role: Role;
  readonly isEnabled: boolean;
  readonly hasPassword: boolean;
  /** Without one, nothing is held against the user but what holds for everybody. */
  readonly groupId?: number;
  readonly teamId?: number;
  /** Logins with the password ask for a code, too. */
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
  /** What all of the user's keys may spend together; no bound where absent. */
  readonly quota?: NanoUsd;
  readonly groupId?: number;
  /** Who the user is to an identity provider. */
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

/** What is absent stays as it is; a group of `null` is none. */
export interface UserChange {
  readonly displayName?: string;
  readonly role?: Role;
  readonly isEnabled?: boolean;
  readonly password?: string;
  readonly groupId?: number | null;
  /** `null` for none. */
  readonly teamId?: number | null;
}

/** Who there is. */
export interface UserStore {
  /** Throws `invalid_request` where the name or the address is somebody's already, or the group is none. */
  create(draft: UserDraft): Promise<User>;
  find(id: number): Promise<User | undefined>;
  /** By id, at most `limit` of those after `afterId`. */
  list(afterId: number, limit: number): Promise<readonly User[]>;
  /**
   * A new password and a disabled account end all logins of before. Undefined
   * where there is no such user. Throws `invalid_request` where the group or the team is none.
   */
  change(id: number, change: UserChange): Promise<User | undefined>;
  /**
   * For good: logins, access token and keys end, name and address are free for
   * others. False where there is no such user; the root user stays.
   */
  delete(id: number): Promise<boolean>;
}

/** What a browser that is logged in may go by. */
export interface Session {
  readonly user: User;
  /** A second factor was shown, or what counts as one. */
  readonly isConfirmed: boolean;
}

export interface SessionStart {
  readonly isConfirmed?: boolean;
  /** Where it is started from, as much of it as may be kept. */
  readonly network?: string;
}

export interface SessionRecord {
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms, to the minute. */
  readonly seenAt: number;
  readonly network?: string;
  readonly isOwn: boolean;
}

/** How users show who they are. Whatever is found out here is of enabled users only. */
export interface Logins {
  /**
   * The name of the account that a name or address logs in to; the login itself,
   * as it is compared, if there is none. Guesses by either are counted together.
   */
  accountName(login: string): Promise<string>;
  /**
   * By name or address. Undefined where either is wrong, in the same time as
   * where both are right. Throws `overloaded` when too many ask at once.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  /** What the cookie is to hold. */
  startSession(userId: number, start?: SessionStart): Promise<string>;
  endSession(secret: string): Promise<void>;
  /** All but the one that is kept; says how many. */
  endOtherSessions(userId: number, kept: string | undefined): Promise<number>;
  findBySession(secret: string): Promise<Session | undefined>;
  /** Those that live, the last used first; `own` is the one that asks. */
  listSessions(userId: number, own: string | undefined): Promise<readonly SessionRecord[]>;
  findByToken(secret: string): Promise<User | undefined>;
  /** In place of the one before. It is in the answer and nowhere else. */
  createToken(userId: number): Promise<string>;
  /** False where there is none. */
  deleteToken(userId: number): Promise<boolean>;
  /** Gives the root account its first password. Undefined where the set-up token is not, or no longer, good. */
  setUp(token: string, email: string, password: string): Promise<User | undefined>;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** No name looks like an address, so that a login is one or the other. */
export function isUserName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text);
}

/** Whether it is one is for a letter to find out; this only keeps out what is none at all. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,253}$/u.test(text);
}

export const PASSWORD_CHARS = { min: 12, max: 256 } as const;

/** Why a password will not do, to complete "The password"; undefined where it will. */
export function objectionToPassword(password: string): string | undefined {
  const { min, max } = PASSWORD_CHARS;
  if (password.length < min) return `needs at least ${min} characters.`;
  if (password.length > max) return `may have at most ${max} characters.`;
  if (new Set(password).size < MIN_DIFFERENT) return "repeats too few different characters.";
  return undefined;
}

const MIN_DIFFERENT = 5;
