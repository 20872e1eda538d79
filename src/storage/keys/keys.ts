import { createHash } from "node:crypto";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import {
  GATEWAY_OWNER,
  isWellFormed,
  KEY_STATUS,
  type AccountId,
  type ApiKey,
  type KeyStore,
  type OwnerId,
} from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import { createKeyCache } from "./key-cache.ts";
import { digester } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";
import { GROUP_COLUMNS, toGroup, type GroupRow } from "../tables/groups.ts";
import { SECRET_FORM, toApiKey, toEndingKey, type KeyRow } from "../tables/keys.ts";
import { USER_STATUS } from "../tables/users.ts";

interface KeyStoreOptions {
  readonly db: Kysely<Tables>;
  readonly pepper: Uint8Array;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly onError: (cause: unknown) => void;
}

/** The key store, with the methods that the key admin uses. */
export interface OpenKeyStore extends KeyStore, Disposable {
  digestOf(secret: string): string;
  /** Invalidates keys after a committed change. */
  changed(keyIds: readonly number[]): Promise<void>;
  /** Invalidates all keys of the group's users after a committed change. */
  groupChanged(groupId: number): void;
}

/** Maximum length of a secret; a longer one is refused without a digest. */
export const MAX_SECRET_CHARS = 512;
const REFRESH_MS = 5_000;

export async function openKeyStore(options: KeyStoreOptions): Promise<OpenKeyStore> {
  const { db, pepper, clock, ttlMs, onError } = options;
  const digestOf = digester(pepper);
  const cache = createKeyCache({ lookup: openLookup(db), ttlMs, clock });
  /** Digests of secrets in a foreign format, without our checksum: only these need a query. */
  let custom = new ForeignDigests(digestOf, await findForeignForms(db));

  const refresh = async (): Promise<void> => {
    custom = new ForeignDigests(digestOf, await findForeignForms(db));
  };
  const timer = Number.isFinite(ttlMs)
    ? setInterval(() => void refresh().catch(onError), REFRESH_MS)
    : undefined;
  timer?.unref();

  return {
    find(secret) {
      if (isWellFormed(secret)) return cache.find(digestOf(secret));
      if (secret.length > MAX_SECRET_CHARS) return undefined;
      const digest = custom.find(secret);
      return digest === undefined ? undefined : cache.find(digest);
    },

    digestOf,

    async changed(keyIds) {
      for (const id of keyIds) cache.forget(id);
      await refresh();
    },

    groupChanged: (groupId) => cache.forgetGroup(groupId),

    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Joins each key with its own account, its user, and all their budgets. */
export function selectKeys(db: Kysely<Tables>) {
  return db
    .selectFrom("keys")
    .leftJoin("accounts", (join) =>
      join.on("accounts.id", "=", sql<AccountId>`'key:' || ${sql.ref("keys.id")}`),
    )
    .innerJoin("users", "users.id", "keys.user_id")
    .leftJoin("budgets as of_key", (join) =>
      join.on("of_key.owner", "=", sql<OwnerId>`'key:' || ${sql.ref("keys.id")}`),
    )
    .leftJoin("budgets as of_user", (join) =>
      join.on("of_user.owner", "=", sql<OwnerId>`'user:' || ${sql.ref("keys.user_id")}`),
    )
    .leftJoin("budgets as of_team", (join) =>
      join.on("of_team.owner", "=", sql<OwnerId>`'team:' || ${TEAM_OF_KEY}`),
    )
    .leftJoin("budgets as of_member", (join) =>
      join.on(
        "of_member.owner",
        "=",
        sql<OwnerId>`'member:' || ${TEAM_OF_KEY} || '-' || ${sql.ref("keys.user_id")}`,
      ),
    )
    .leftJoin("budgets as of_gateway", (join) =>
      join.on("of_gateway.owner", "=", sql<OwnerId>`${sql.lit(GATEWAY_OWNER)}`),
    )
    .selectAll("keys")
    .select(TEAM_OF_KEY.as("charged_team_id"))
    .select(["accounts.granted", "accounts.spent", "users.status as user_status"])
    .select(["of_key.terms as key_terms", "of_user.terms as user_terms"])
    .select(["of_team.terms as team_terms", "of_member.terms as member_terms"])
    .select("of_gateway.terms as gateway_terms");
}

const TEAM_OF_KEY = sql<
  number | null
>`coalesce(${sql.ref("keys.team_id")}, ${sql.ref("users.team_id")})`;

const GROUP_OF_KEY = sql<number>`coalesce(${sql.ref("keys.own_group_id")}, ${sql.ref("users.group_id")})`;

const OWNER_COLUMNS: Readonly<Record<string, RawBuilder<unknown>>> = {
  team: TEAM_OF_KEY,
  key: sql.ref("keys.id"),
  // All keys.
  gateway: sql.lit(0),
};

/** Undeleted keys that draw on the account of an owner. */
export async function keysOf(db: Kysely<Tables>, owner: OwnerId): Promise<readonly number[]> {
  const [kind = "", ids = ""] = owner.split(":");
  // A member is a user in the name of a team: `member:3-7`.
  const id = ids.split("-").at(-1);
  const rows = await db
    .selectFrom("keys")
    .innerJoin("users", "users.id", "keys.user_id")
    .select("keys.id")
    .where(OWNER_COLUMNS[kind] ?? sql.ref("users.id"), "=", Number(id))
    .where("keys.deleted_at", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** The key with a digest, which is the first and the second parameter, or with this old digest. */
export function compileLookup(db: Kysely<Tables>) {
  return selectKeys(db)
    .leftJoin("groups", (join) => join.on("groups.id", "=", GROUP_OF_KEY))
    .select(GROUP_COLUMNS)
    .where((or) => or.or([or("keys.digest", "=", ""), or("keys.old_digest", "=", "")]))
    .compile();
}

/** Compiled once, so that a lookup costs only the query. */
function openLookup(db: Kysely<Tables>): (digest: string) => Promise<ApiKey | undefined> {
  const compiled = compileLookup(db);
  const share = openGroupPool();
  return async (digest) => {
    try {
      const parameters = [digest, digest];
      const { rows } = await db.executeQuery<FoundRow>({ ...compiled, parameters });
      // The file may give one key the old secret of another.
      const row = rows.find((each) => each.digest === digest) ?? rows[0];
      if (row === undefined) return undefined;
      const group = row.group_id === null ? undefined : share(row);
      return row.digest === digest ? toApiKey(row, group) : toEndingKey(row, group);
    } catch (cause) {
      throw new GatewayError(
        "unavailable",
        "The gateway cannot look up API keys, because its database is unavailable. Retry later.",
        {
          cause,
        },
      );
    }
  };
}

/** A key by its id, as a call with it would have it now. */
export async function findKeyById(db: Kysely<Tables>, id: number): Promise<ApiKey | undefined> {
  const row: FoundRow | undefined = await selectKeys(db)
    .leftJoin("groups", (join) => join.on("groups.id", "=", GROUP_OF_KEY))
    .select(GROUP_COLUMNS)
    .where("keys.id", "=", id)
    .where("keys.deleted_at", "is", null)
    .$castTo<FoundRow>()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return toApiKey(row, row.group_id === null ? undefined : toGroup(row));
}

/** The group's columns are all set or all `null`. */
type FoundRow = KeyRow & (GroupRow | { readonly group_id: null });

/** A group may be large and have many keys, so they share one object. */
function openGroupPool(): (row: GroupRow) => Group {
  const pool = new Map<number, { readonly version: number; readonly group: Group }>();
  return (row) => {
    const { group_id: id, group_version: version } = row;
    const known = pool.get(id);
    if (known?.version === version) return known.group;
    if (pool.size >= MAX_POOLED) pool.clear();
    const group = toGroup(row);
    pool.set(id, { version, group });
    return group;
  };
}

const MAX_POOLED = 1_000;

const MAX_ASKED = 500;

/** Keys among `ids` that may no longer call: deleted, disabled, or with a disabled user. */
export async function findRefused(
  db: Kysely<Tables>,
  ids: readonly number[],
): Promise<readonly number[]> {
  const refused: number[] = [];
  for (let i = 0; i < ids.length; i += MAX_ASKED) {
    const rows = await db
      .selectFrom("keys")
      .innerJoin("users", "users.id", "keys.user_id")
      .select("keys.id")
      .where("keys.id", "in", ids.slice(i, i + MAX_ASKED))
      .where((or) =>
        or.or([
          or("keys.deleted_at", "is not", null),
          or("keys.status", "!=", KEY_STATUS.enabled),
          or("users.status", "!=", USER_STATUS.enabled),
        ]),
      )
      .execute();
    refused.push(...rows.map(({ id }) => id));
  }
  return refused;
}

/** Its digest stands for a secret with this SHA-256. */
export function hashedSecret(sha256: string): string {
  return `sha256:${sha256}`;
}

export const OPTIONAL_PREFIX = "sk-";

/** Digests of secrets that were not made here, with their forms. */
class ForeignDigests {
  readonly #digestOf: (secret: string) => string;
  readonly #forms: ReadonlyMap<string, number>;
  readonly #present: ReadonlySet<number>;

  constructor(digestOf: (secret: string) => string, forms: ReadonlyMap<string, number>) {
    this.#digestOf = digestOf;
    this.#forms = forms;
    this.#present = new Set(forms.values());
  }

  /**
   * The digest of a key with this secret. Each form is looked up on its own: a stored hash, sent as
   * a secret, must not be a key.
   */
  find(secret: string): string | undefined {
    if (this.#present.size === 0) return undefined;
    const digest = this.#digestOf(secret);
    const form = this.#forms.get(digest);
    if (form === SECRET_FORM.foreign || form === SECRET_FORM.prefixed) return digest;
    if (this.#present.has(SECRET_FORM.hashed)) {
      const sha256 = createHash("sha256").update(secret).digest("hex");
      const hashed = this.#digestOf(hashedSecret(sha256));
      if (this.#forms.get(hashed) === SECRET_FORM.hashed) return hashed;
    }
    if (!this.#present.has(SECRET_FORM.prefixed) || secret.startsWith(OPTIONAL_PREFIX)) {
      return undefined;
    }
    const prefixed = this.#digestOf(OPTIONAL_PREFIX + secret);
    return this.#forms.get(prefixed) === SECRET_FORM.prefixed ? prefixed : undefined;
  }
}

async function findForeignForms(db: Kysely<Tables>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("keys")
    .select(["digest", "is_custom as form"])
    .where("is_custom", "!=", SECRET_FORM.own)
    .where("digest", "is not", null)
    .execute();
  const old = await db
    .selectFrom("keys")
    .select(["old_digest as digest", "old_is_custom as form"])
    .where("old_is_custom", "!=", SECRET_FORM.own)
    .where("old_digest", "is not", null)
    .execute();
  return new Map(
    [...rows, ...old].flatMap(({ digest, form }) =>
      digest === null ? [] : [[digest, form] as const],
    ),
  );
}
