import type { Kysely, Updateable } from "kysely";
import { GatewayError, invalid } from "#core/error.ts";
import type { Role, User, UserDraft, UserStore } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import { addBudgets } from "../accounts/budgets.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { openAccount } from "../accounts/open-account.ts";
import { keysOf, type OpenKeyStore } from "../keys/keys.ts";
import { deleteUser } from "./delete-users.ts";
import type { Passwords } from "./passwords.ts";
import type { Tables } from "../tables.ts";
import { contains, refreshUserSearch, searchOfUser } from "./search.ts";
import { NO_USER, toUser, USER_STATUS, type UsersTable } from "../tables/users.ts";
import { isReferenceViolation, isUniqueViolation } from "../database/unique.ts";

export interface UserAdmin extends UserStore {
  /** The initial user of a new gateway, without a spending limit. */
  ensureRoot(): Promise<{ readonly id: number; readonly name: string; readonly role: Role }>;
  /** Sets the first login of the root account; false if it already has one. */
  ensureRootLogin(email: string, password: string): Promise<boolean>;
}

interface UserStoreDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly keys: Pick<OpenKeyStore, "changed">;
}

export const ROOT_ID = 1;
const PAGE = 1_000;

export function createUserStore({ db, clock, passwords, keys }: UserStoreDeps): UserAdmin {
  return {
    async ensureRoot() {
      return db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("users")
          .values({
            id: ROOT_ID,
            name: "root",
            search: "root",
            role: "root",
            status: USER_STATUS.enabled,
            created_at: clock.now(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const account = await transaction
          .selectFrom("accounts")
          .select("id")
          .where("id", "=", `user:${ROOT_ID}`)
          .executeTakeFirst();
        if (account === undefined) {
          await openAccount(transaction, `user:${ROOT_ID}`, null, "", clock.now());
        }
        return transaction
          .selectFrom("users")
          .select(["id", "name", "role"])
          .where("id", "=", ROOT_ID)
          .executeTakeFirstOrThrow();
      });
    },

    async ensureRootLogin(email, password) {
      if ((await find(ROOT_ID))?.hasPassword === true) return false;
      const { numUpdatedRows } = await db
        .updateTable("users")
        .set({ email: email.toLowerCase(), password: await passwords.hash(password) })
        .where("id", "=", ROOT_ID)
        .where("password", "is", null)
        .executeTakeFirstOrThrow();
      await refreshUserSearch(db, ROOT_ID);
      return numUpdatedRows > 0n;
    },

    async create(draft) {
      const hash = draft.password === undefined ? null : await passwords.hash(draft.password);
      try {
        return await inTransaction(db, (transaction) =>
          insertUser(transaction, draft, hash, clock.now()),
        );
      } catch (cause) {
        throw refusedUser(cause);
      }
    },

    find,

    async findAll({ ids, names }) {
      const rows = await db
        .selectFrom("users")
        .selectAll()
        .where("deleted_at", "is", null)
        .where((either) =>
          either.or([
            either("id", "in", [NO_USER, ...ids]),
            // No user has an empty name.
            either("name", "in", ["", ...names]),
          ]),
        )
        .orderBy("id")
        .execute();
      return rows.map(toUser);
    },

    async list(afterId, limit, { search, role, isEnabled, groupId, teamId } = {}) {
      let select = db
        .selectFrom("users")
        .selectAll()
        .where("id", ">", afterId)
        .where("deleted_at", "is", null)
        .orderBy("id")
        .limit(Math.min(limit, PAGE));
      if (search !== undefined) select = select.where(contains("users.search", search));
      if (role !== undefined) select = select.where("role", "=", role);
      if (isEnabled !== undefined) {
        const status = isEnabled ? USER_STATUS.enabled : USER_STATUS.disabled;
        select = select.where("status", "=", status);
      }
      if (groupId !== undefined) select = select.where("group_id", "=", groupId);
      if (teamId !== undefined) select = select.where("team_id", "=", teamId);
      return (await select.execute()).map(toUser);
    },

    async findByEmail(email) {
      const row = await db
        .selectFrom("users")
        .selectAll()
        .where("email", "=", email)
        .executeTakeFirst();
      return row && toUser(row);
    },

    async listServices(teamId, afterId, limit) {
      let found = db
        .selectFrom("users")
        .innerJoin("teams", "teams.id", "users.team_id")
        .selectAll("users")
        .select("teams.name as team_name")
        .where("users.is_service", "=", 1)
        .where("users.id", ">", afterId)
        .where("users.deleted_at", "is", null);
      if (teamId !== undefined) found = found.where("users.team_id", "=", teamId);
      const rows = await found.orderBy("users.id").limit(Math.min(limit, PAGE)).execute();
      return rows.map((row) => ({ user: toUser(row), teamName: row.team_name }));
    },

    async change(id, change) {
      const { email, displayName, role, isEnabled, password, groupId, teamId, isTeamOwner } =
        change;
      const columns: Updateable<UsersTable> = {
        ...(email === undefined ? {} : { email: email?.toLowerCase() ?? null }),
        ...(displayName === undefined ? {} : { display_name: displayName }),
        ...(role === undefined ? {} : { role }),
        ...(isEnabled === undefined
          ? {}
          : { status: isEnabled ? USER_STATUS.enabled : USER_STATUS.disabled }),
        ...(password === undefined ? {} : { password: await passwords.hash(password) }),
        ...(groupId === undefined ? {} : { group_id: groupId }),
        ...(teamId === undefined ? {} : { team_id: teamId, is_team_owner: 0 }),
        ...(isTeamOwner === undefined ? {} : { is_team_owner: isTeamOwner ? 1 : 0 }),
      };
      if (Object.keys(columns).length === 0) return await find(id);
      try {
        await inTransaction(db, async (transaction) => {
          if (typeof teamId === "number") await requireTeam(transaction, teamId);
          const isForPersons = password !== undefined || typeof email === "string";
          if (isForPersons || teamId === null || isTeamOwner === true) {
            await requirePerson(transaction, id);
          }
          await transaction
            .updateTable("users")
            .set(columns)
            .where("id", "=", id)
            .where("deleted_at", "is", null)
            .execute();
          if (displayName !== undefined || email !== undefined) {
            await refreshUserSearch(transaction, id);
          }
          if (isEnabled === false || password !== undefined) {
            await transaction.deleteFrom("sessions").where("user_id", "=", id).execute();
            await transaction.deleteFrom("access_tokens").where("user_id", "=", id).execute();
          }
        });
      } catch (cause) {
        if (isUniqueViolation(cause)) throw takenByUser(cause);
        if (!isReferenceViolation(cause)) throw cause;
        throw typeof groupId === "number" ? noSuchGroup() : noSuchTeam();
      } finally {
        if (isEnabled !== undefined || groupId !== undefined || teamId !== undefined) {
          await keys.changed(await keysOf(db, `user:${id}`));
        }
      }
      return await find(id);
    },

    async lowerRole(id, role) {
      return await db.transaction().execute(async (transaction) => {
        // Locks all admins, so that two of them do not lose the role at once.
        const admins = await transaction
          .updateTable("users")
          .set(({ ref }) => ({ role: ref("role") }))
          .where("role", "in", ["admin", "root"])
          .where("status", "=", USER_STATUS.enabled)
          .where("deleted_at", "is", null)
          .returning(["id", "password"])
          .execute();
        if (
          !(await canAnyLogIn(
            transaction,
            admins.filter((each) => each.id !== id),
          ))
        ) {
          return undefined;
        }
        const row = await transaction
          .updateTable("users")
          .set({ role })
          .where("id", "=", id)
          .where("deleted_at", "is", null)
          .returningAll()
          .executeTakeFirst();
        return row && toUser(row);
      });
    },

    async delete(id) {
      if (id === ROOT_ID) return false;
      let ended: readonly number[] | undefined;
      try {
        ended = await db
          .transaction()
          .execute((transaction) => deleteUser(transaction, id, clock.now()));
        return ended !== undefined;
      } finally {
        await keys.changed(ended ?? []);
      }
    },
  };

  async function find(id: number): Promise<User | undefined> {
    const row = await db
      .selectFrom("users")
      .selectAll()
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    return row && toUser(row);
  }
}

/** A new user with account, budgets and identity. `hash`: of the password, instead of it. */
export async function insertUser(
  db: Kysely<Tables>,
  { name, email, displayName, role, quota, groupId, identity, ...more }: UserDraft,
  hash: string | null,
  now: number,
): Promise<User> {
  const { serviceOf } = more;
  if (more.teamId !== undefined) await requireTeam(db, more.teamId);
  const names = {
    name,
    email: email?.toLowerCase() ?? null,
    display_name: displayName ?? null,
  };
  if (serviceOf !== undefined) await assertRoom(db, serviceOf);
  const inserted = await db
    .insertInto("users")
    .values({
      ...names,
      search: searchOfUser(names),
      role,
      status: USER_STATUS.enabled,
      password: hash,
      group_id: groupId ?? null,
      team_id: serviceOf?.teamId ?? more.teamId ?? null,
      is_service: serviceOf === undefined ? 0 : 1,
      is_team_owner: more.isTeamOwner === true ? 1 : 0,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const owner = `user:${inserted.id}` as const;
  await openAccount(db, owner, quota ?? null, "user created", now);
  await addBudgets(db, owner, more.budgets ?? {});
  if (identity !== undefined) {
    const link = { ...identity, user_id: inserted.id, created_at: now };
    await db.insertInto("identities").values(link).execute();
  }
  return toUser(inserted);
}

export function refusedUser(cause: unknown): unknown {
  if (isReferenceViolation(cause)) return noSuchGroup();
  return isUniqueViolation(cause) ? takenByUser(cause) : cause;
}

async function canAnyLogIn(
  db: Kysely<Tables>,
  users: readonly { readonly id: number; readonly password: string | null }[],
): Promise<boolean> {
  if (users.some(({ password }) => password !== null)) return true;
  const ids = [NO_USER, ...users.map(({ id }) => id)];
  const linked = await db
    .selectFrom("identities")
    .select("user_id")
    .where("user_id", "in", ids)
    .limit(1)
    .executeTakeFirst();
  return linked !== undefined;
}

/** Checked separately, because a foreign key error does not name its column. */
async function requireTeam(db: Kysely<Tables>, id: number): Promise<void> {
  const found = await db.selectFrom("teams").select("id").where("id", "=", id).executeTakeFirst();
  if (found === undefined) throw noSuchTeam();
}

/** A service account never gets a login, and always has a team, which it does not own. */
async function requirePerson(db: Kysely<Tables>, id: number): Promise<void> {
  const row = await db
    .selectFrom("users")
    .select("is_service")
    .where("id", "=", id)
    .executeTakeFirst();
  if (row?.is_service !== 1) return;
  throw new GatewayError(
    "invalid_request",
    "A service account has a team, cannot own it, and has no password and no address.",
  );
}

/** Serialised per team, so that two concurrent inserts cannot exceed the limit. */
async function assertRoom(
  db: Kysely<Tables>,
  { teamId, most }: NonNullable<UserDraft["serviceOf"]>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("teams")
    .set(({ ref }) => ({ name: ref("name") }))
    .where("id", "=", teamId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw noSuchTeam();
  const { count } = await db
    .selectFrom("users")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("team_id", "=", teamId)
    .where("is_service", "=", 1)
    .executeTakeFirstOrThrow();
  if (Number(count) < most) return;
  throw new GatewayError(
    "invalid_request",
    `The limit of ${most} service accounts of a team is reached. Delete some first.`,
  );
}

function noSuchTeam(): GatewayError {
  return invalid("team_id", "The team does not exist.");
}

function noSuchGroup(): GatewayError {
  return invalid("group_id", "The group does not exist.");
}

export function takenByUser(cause: unknown): GatewayError {
  return new GatewayError(
    "invalid_request",
    "Another user has this name or email address. Choose another one.",
    { cause },
  );
}
