import type { Scope } from "./scope.ts";
import type { User } from "./user.ts";

/** Prefix that distinguishes access tokens from API keys. */
export const ACCESS_TOKEN_PREFIX = "slc-user_";

/** A program's way into the management API, as one user. Only its holder knows the secret. */
export interface AccessToken {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** The last four characters of the secret; undefined for tokens of earlier versions. */
  readonly last4?: string;
  /** Undefined allows all, including scopes that later versions add. */
  readonly scopes?: readonly Scope[];
  /** Unix ms; undefined for tokens of earlier versions. */
  readonly createdAt?: number;
  /** Unix ms, to about a minute; undefined if it was never used. */
  readonly usedAt?: number;
  /** Unix ms; undefined if it never ends. */
  readonly endsAt?: number;
}

export interface AccessTokenDraft {
  readonly userId: number;
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly endsAt?: number;
}

/** An access token that was shown, and its user. */
interface TokenLogin {
  readonly user: User;
  readonly token: AccessToken;
}

/** The store of access tokens. A disabled user or a new password ends all of a user's tokens. */
export interface AccessTokens {
  /**
   * The secret is in this result and stored nowhere else. Other tokens stay. Throws
   * `invalid_request` if the user has `most` tokens that have not ended.
   */
  create(
    draft: AccessTokenDraft,
    most: number,
  ): Promise<{ readonly token: AccessToken; readonly secret: string }>;
  /** Newest first. */
  list(userId: number): Promise<readonly AccessToken[]>;
  /** Undefined if the user has no such token. */
  rename(userId: number, id: number, name: string): Promise<AccessToken | undefined>;
  /** False if the user has no such token. */
  revoke(userId: number, id: number): Promise<boolean>;
  /** The number of revoked tokens. */
  revokeAll(userId: number): Promise<number>;
  /** Undefined if the token is unknown or has ended, or its user is disabled. */
  find(secret: string): Promise<TokenLogin | undefined>;
  /** Writes the times of use since the last call. */
  noteUses(): Promise<void>;
}

/** Whether the token may be used for the scope. */
export function allows({ scopes }: Pick<AccessToken, "scopes">, scope: Scope): boolean {
  return scopes === undefined || scopes.includes(scope);
}
