import type { Generated, Selectable } from "kysely";
import type { Role, User } from "#core/user.ts";

/** Nobody's id, for lists of users: an empty one is none to every engine. */
export const NO_USER = -1;

export interface UsersTable {
  id: Generated<number>;
  name: string;
  role: Role;
  /** 1 enabled, 2 disabled. */
  status: number;
  created_at: number;
  /** In small letters. */
  email: string | null;
  display_name: string | null;
  /** Argon2id of the keyed digest; without one there is no login by password. */
  password: string | null;
  /** Keyed digest of the user's access token. */
  token_digest: string | null;
  group_id: number | null;
  /** A deleted user stays as a tombstone: ledger and calls refer to it. */
  deleted_at: number | null;
  team_id: number | null;
  /** Sealed, for this user alone; without one no login asks for a code. */
  totp_secret: string | null;
  /** The step of the last code that was taken. */
  totp_step: number | null;
  /** Sealed; the secret to be, until a code shows that it arrived. */
  totp_pending: string | null;
  totp_pending_until: number | null;
  /** Which of the secrets that sign what this user is told, and since when. */
  webhook_generation: Generated<number>;
  webhook_rotated_at: number | null;
}

export const NO_SECOND_FACTOR = {
  totp_secret: null,
  totp_step: null,
  totp_pending: null,
  totp_pending_until: null,
} as const;

export const USER_STATUS = { enabled: 1, disabled: 2 } as const;

export function toUser(row: Selectable<UsersTable>): User {
  return Object.freeze({
    id: row.id,
    name: row.name,
    displayName: row.display_name ?? row.name,
    role: row.role,
    isEnabled: row.status === USER_STATUS.enabled,
    hasPassword: row.password !== null,
    hasSecondFactor: row.totp_secret !== null,
    createdAt: row.created_at,
    ...(row.team_id === null ? {} : { teamId: row.team_id }),
    ...(row.email === null ? {} : { email: row.email }),
    ...(row.group_id === null ? {} : { groupId: row.group_id }),
  });
}
