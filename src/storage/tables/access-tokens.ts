import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import type { AccessToken } from "#core/access-token.ts";
import { isScope, type Scope } from "#core/scope.ts";

export interface AccessTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed digest of the secret. */
  digest: string;
  /** Null for tokens of earlier versions, like the time. */
  last4: string | null;
  created_at: number | null;
  /** JSON array of scopes; null allows all. */
  scopes: string | null;
  /** To about a minute. */
  used_at: number | null;
  ends_at: number | null;
}

type AccessTokenRow = Selectable<AccessTokensTable>;

export function toAccessToken(row: AccessTokenRow): AccessToken {
  return Object.freeze({
    id: row.id,
    userId: row.user_id,
    name: row.name,
    ...(row.last4 === null ? {} : { last4: row.last4 }),
    ...(row.scopes === null ? {} : { scopes: scopesIn(row.scopes) }),
    ...(row.created_at === null ? {} : { createdAt: row.created_at }),
    ...(row.used_at === null ? {} : { usedAt: row.used_at }),
    ...(row.ends_at === null ? {} : { endsAt: row.ends_at }),
  });
}

const texts = z.array(z.string());

/** A scope that this version does not know opens nothing. */
function scopesIn(json: string): readonly Scope[] {
  return texts.parse(JSON.parse(json)).filter(isScope);
}
