import assert from "node:assert";
import type { Kysely, Updateable } from "kysely";
import type { BudgetChange } from "#core/budget.ts";
import { GatewayError } from "#core/error.ts";
import type { HeldSecret, ImportedKeyDraft } from "#core/import.ts";
import { createSecret, isWellFormed, KEY_STATUS, type KeyStatus } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { CreatedKey, KeyDraft, ListedKey, UserKey, UserKeys } from "#core/user-keys.ts";
import type { Clock } from "#lib/clock.ts";
import { addBudgets, changeBudgets } from "../accounts/budgets.ts";
import type { Grants } from "../accounts/grants.ts";
import {
  hashedSecret,
  MAX_SECRET_CHARS,
  OPTIONAL_PREFIX,
  selectKeys,
  type OpenKeyStore,
} from "./keys.ts";
import { taken } from "./key-taken.ts";
import { openAccount } from "../accounts/open-account.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { createUserKeys, listedKeys, setQuota } from "./user-keys.ts";
import type { Tables } from "../tables.ts";
import {
  deletedKey,
  keyColumns,
  NO_OLD_SECRET,
  SECRET_FORM,
  toApiKey,
  type KeysTable,
} from "../tables/keys.ts";
import { isUniqueViolation } from "../database/unique.ts";

export interface KeyAdmin extends UserKeys {
  /** The secret is returned once and cannot be shown again. */
  create(draft: KeyDraft & { readonly secret?: string }, most?: number): Promise<CreatedKey>;
  /** Creates a key with a secret that clients already hold. */
  createHeld(draft: ImportedKeyDraft): Promise<UserKey>;
  /**
   * Creates or updates a key from the configuration. An existing key is found
   * by its user and its name or secret.
   */
  syncNamed(entry: KeyDraft & { readonly secret: string }): Promise<UserKey>;
  /** False if the key does not exist. */
  setStatus(id: number, status: KeyStatus): Promise<boolean>;
  /** `null` removes the limit. */
  setQuota(id: number, quota: NanoUsd | null, note: string): Promise<void>;
  /**
   * Deletes permanently: the digest is erased, and requests with the key are
   * refused from now on.
   */
  delete(id: number): Promise<boolean>;
  /** A user's undeleted keys, ordered by id, at most 1,000 per call. */
  list(userId: number, afterId?: number): Promise<readonly ListedKey[]>;
}

interface KeyAdminDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly keys: Pick<OpenKeyStore, "changed" | "digestOf">;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "findAccounts">;
}

type SecretColumns = Pick<KeysTable, "digest" | "pepper_version" | "last4" | "is_custom">;

interface InsertTerms {
  readonly most?: number;
  readonly status?: KeyStatus;
}

const PEPPER_VERSION = 1;
const PAGE = 1_000;
/** The last characters of a shorter secret would reveal too much of it. */
const MIN_CHARS_TO_SHOW = 12;

/** Limits that the configuration no longer contains are removed. */
const NO_BOUNDS = { expiresAt: null, networks: null, endpoints: null, contentLog: null };
const NO_LIMITS = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

/** The stored digest of a secret that clients already hold. */
export function digestOfHeld(secret: HeldSecret, keys: Pick<OpenKeyStore, "digestOf">): string {
  return keys.digestOf("text" in secret ? secret.text : hashedSecret(secret.sha256));
}

export function createKeyAdmin(deps: KeyAdminDeps): KeyAdmin {
  const { db, grants, keys, clock } = deps;
  /** Keys that the configuration of this start names. */
  const ofFile = new Set<number>();
  return {
    ...createUserKeys({ ...deps, isOfFile: (id) => ofFile.has(id) }),

    create,

    async createHeld({ secret, isEnabled, ...draft }) {
      const status = isEnabled ? KEY_STATUS.enabled : KEY_STATUS.disabled;
      return await getKey(await insert(draft, heldColumns(secret), { status }));
    },

    async syncNamed(entry) {
      const found =
        (await findLiving(entry.userId, "name", entry.name)) ??
        // The file has a new name for the key.
        (await findLiving(entry.userId, "digest", keys.digestOf(entry.secret))) ??
        // The file has another user for the key.
        (await findMoved(entry.name, keys.digestOf(entry.secret)));
      const id = found?.id ?? (await insertNamed(entry));
      ofFile.add(id);
      await update(id, entry);
      return getKey(id);
    },

    setStatus: (id, status) => change(id, { status }),

    setContentLog: (id, level) => change(id, { content_log: level }),

    async setQuota(id, quota, note) {
      await grants.transaction(({ grant }) => grant(`key:${id}`, quota, note));
      await keys.changed([id]);
    },

    delete: (id) => change(id, deletedKey(clock.now())),

    async list(userId, afterId = 0) {
      const rows = await selectKeys(db)
        .where("keys.user_id", "=", userId)
        .where("keys.deleted_at", "is", null)
        .where("keys.id", ">", afterId)
        .orderBy("keys.id")
        .limit(PAGE)
        .execute();
      return await listedKeys(rows, deps);
    },
  };

  async function create(
    { secret = createSecret(), ...draft }: KeyDraft & { readonly secret?: string },
    most = Infinity,
  ): Promise<CreatedKey> {
    const id = await insert(draft, secretColumns(secret), { most });
    return { key: await getKey(id), secret };
  }

  async function insert(
    draft: KeyDraft,
    secret: SecretColumns,
    { most = Infinity, status = KEY_STATUS.enabled }: InsertTerms = {},
  ): Promise<number> {
    const now = clock.now();
    const row = {
      ...secret,
      user_id: draft.userId,
      name: draft.name,
      ...keyColumns(draft),
      models: JSON.stringify(draft.models),
      team_id: draft.teamId ?? null,
      own_group_id: draft.groupId ?? null,
      status,
      created_at: now,
    };
    try {
      const { id } = await inTransaction(db, async (transaction) => {
        await assertBelowLimit(transaction, draft.userId, most);
        const inserted = await transaction
          .insertInto("keys")
          .values(row)
          .returning("id")
          .executeTakeFirstOrThrow();
        if (draft.quota !== undefined) {
          await openAccount(transaction, `key:${inserted.id}`, draft.quota, "key created", now);
        }
        await addBudgets(transaction, `key:${inserted.id}`, draft.budgets ?? {});
        return inserted;
      });
      // The secret may be cached as unknown from an earlier attempt.
      await keys.changed([id]);
      return id;
    } catch (cause) {
      throw isUniqueViolation(cause) ? taken(draft.name, cause) : cause;
    }
  }

  /** Another gateway with the same file may insert the key first. */
  async function insertNamed(entry: KeyDraft & { readonly secret: string }): Promise<number> {
    try {
      return await insert(entry, secretColumns(entry.secret));
    } catch (cause) {
      const found = await findLiving(entry.userId, "name", entry.name);
      if (found === undefined) throw cause;
      return found.id;
    }
  }

  async function update(id: number, entry: KeyDraft & { readonly secret: string }): Promise<void> {
    const columns = {
      ...secretColumns(entry.secret),
      ...NO_OLD_SECRET,
      ...keyColumns({ ...NO_BOUNDS, ...entry, limits: { ...NO_LIMITS, ...entry.limits } }),
      user_id: entry.userId,
      team_id: entry.teamId ?? null,
    };
    try {
      await change(id, columns, entry.quota ?? null, entry.budgets);
    } catch (cause) {
      throw isUniqueViolation(cause) ? taken(entry.name, cause) : cause;
    }
  }

  async function change(
    id: number,
    columns: Updateable<KeysTable>,
    quota?: NanoUsd | null,
    budgets: BudgetChange = {},
  ): Promise<boolean> {
    const changed = [id];
    try {
      return await grants.transaction(async (transaction) => {
        if (typeof columns.digest === "string") {
          changed.push(...(await takeSecret(transaction.db, id, columns.digest)));
        }
        const { numUpdatedRows } = await transaction.db
          .updateTable("keys")
          .set(columns)
          .where("id", "=", id)
          .where("deleted_at", "is", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await setQuota(transaction, id, quota, "configuration");
        await changeBudgets(transaction, `key:${id}`, budgets, "configuration", clock.now());
        return true;
      });
    } finally {
      // Also after an error: the change may have been committed without our knowledge.
      await keys.changed(changed);
    }
  }

  function secretColumns(secret: string, foreign: number = SECRET_FORM.foreign): SecretColumns {
    assert(secret.length <= MAX_SECRET_CHARS, "A key's secret is too long.");
    return {
      digest: keys.digestOf(secret),
      pepper_version: PEPPER_VERSION,
      last4: secret.length < MIN_CHARS_TO_SHOW ? "" : secret.slice(-4),
      is_custom: isWellFormed(secret) ? SECRET_FORM.own : foreign,
    };
  }

  function heldColumns(secret: HeldSecret): SecretColumns {
    if ("text" in secret) {
      const isPrefixed =
        secret.isPrefixOptional === true && secret.text.startsWith(OPTIONAL_PREFIX);
      return secretColumns(secret.text, isPrefixed ? SECRET_FORM.prefixed : SECRET_FORM.foreign);
    }
    return {
      digest: digestOfHeld(secret, keys),
      pepper_version: PEPPER_VERSION,
      last4: secret.last4,
      is_custom: SECRET_FORM.hashed,
    };
  }

  /**
   * The file may swap the secrets of two keys. Until its own update, the other
   * key gets a random secret.
   */
  async function takeSecret(
    transaction: Kysely<Tables>,
    id: number,
    digest: string,
  ): Promise<readonly number[]> {
    const rows = await transaction
      .updateTable("keys")
      .set({ digest: keys.digestOf(createSecret()), last4: "", is_custom: 0 })
      .where("digest", "=", digest)
      .where("id", "!=", id)
      .where("user_id", "=", (own) => own.selectFrom("keys").select("user_id").where("id", "=", id))
      .returning("id")
      .execute();
    return rows.map((row) => row.id);
  }

  async function findLiving(
    userId: number,
    by: "name" | "digest",
    value: string,
  ): Promise<{ id: number } | undefined> {
    return db
      .selectFrom("keys")
      .select("id")
      .where("user_id", "=", userId)
      .where(by, "=", value)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
  }

  async function findMoved(name: string, digest: string): Promise<{ id: number } | undefined> {
    return db
      .selectFrom("keys")
      .select("id")
      .where("digest", "=", digest)
      .where("name", "=", name)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
  }

  async function getKey(id: number): Promise<UserKey> {
    return toApiKey(await selectKeys(db).where("keys.id", "=", id).executeTakeFirstOrThrow());
  }
}

/** Serialised per user, so that two concurrent inserts cannot exceed the limit. */
async function assertBelowLimit(db: Kysely<Tables>, userId: number, most: number): Promise<void> {
  if (most === Infinity) return;
  await db
    .updateTable("users")
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", userId)
    .execute();
  const { count } = await db
    .selectFrom("keys")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (count < most) return;
  throw new GatewayError(
    "invalid_request",
    `You have reached the limit of ${most} tokens. Delete some first.`,
  );
}
