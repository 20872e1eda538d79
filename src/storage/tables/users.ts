import type { Generated, Selectable } from "kysely";
import type { Role, User } from "#core/user.ts";

/** An id that no user has, for empty lists: the engines do not accept an empty `in ()`. */
export const NO_USER = -1;

export interface UsersTable {
  id: Generated<number>;
  name: string;
  role: Role;
  /** 1 enabled, 2 disabled. */
  status: number;
  created_at: number;
  /** In lower case. */
  email: string | null;
  display_name: string | null;
  /** Argon2id of the keyed digest; without it password login is impossible. */
  password: string | null;
  group_id: number | null;
  /** Unix ms of the deletion. A deleted user stays as a tombstone: ledger and calls refer to it. */
  deleted_at: number | null;
  team_id: number | null;
  /** Encrypted for this user; without it logins need no code. */
  totp_secret: string | null;
  /** The time step of the last accepted code. */
  totp_step: number | null;
  /** Encrypted new secret, until a code confirms it. */
  totp_pending: string | null;
  totp_pending_until: number | null;
  /** Number of the webhook signing secret, and the time of its rotation. */
  webhook_generation: Generated<number>;
  webhook_rotated_at: number | null;
  is_team_owner: Generated<number>;
  /** Name, display name and address in the form that searches compare. */
  search: Generated<string>;
  /** 1 for a service account, which has no login. */
  is_service: Generated<number>;
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
    ...(row.team_id === null || row.is_team_owner === 0 ? {} : { isTeamOwner: true }),
    ...(row.is_service === 0 ? {} : { isService: true }),
    ...(row.email === null ? {} : { email: row.email }),
    ...(row.group_id === null ? {} : { groupId: row.group_id }),
  });
}
