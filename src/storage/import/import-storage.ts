import type { Kysely } from "kysely";
import type { ImportStorage, ImportStores } from "#core/import.ts";
import type { Ledger } from "#core/ledger.ts";
import type { Clock } from "#lib/clock.ts";
import { carrySpending } from "../accounts/carry-spending.ts";
import { createGrants, type GrantsDeps } from "../accounts/grants.ts";
import { createQuotaStore } from "../accounts/quotas.ts";
import type { Passwords } from "../access/passwords.ts";
import { createTeamStore } from "../access/teams.ts";
import { createGroupStore } from "../access/user-groups.ts";
import { createUserStore } from "../access/users.ts";
import { createKeyAdmin, digestOfHeld } from "../keys/key-admin.ts";
import type { OpenKeyStore } from "../keys/keys.ts";
import { createChannelStore } from "../routing/channels.ts";
import { createModelStore } from "../routing/models.ts";
import { moveOn } from "../routing/routing-version.ts";
import type { CredentialSealer } from "../secrets/sealed.ts";
import type { Tables } from "../tables.ts";
import { createImportedObjects } from "./imported-objects.ts";

interface ImportDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly credentialSealer: CredentialSealer;
  readonly passwords: Passwords;
  readonly keys: Pick<OpenKeyStore, "changed" | "digestOf" | "groupChanged">;
  readonly ledger: Pick<Ledger, "findAccounts">;
  readonly onGranted: GrantsDeps["onGranted"];
}

/** The stores of imports; those of an import are on one transaction, and caches are told at its end. */
export function createImportStorage({ db, ...deps }: ImportDeps): ImportStorage {
  return {
    stores: storesOn(db, deps, deps.onGranted, (ids) => deps.keys.changed(ids)),

    async atomically(run) {
      const changed = new Set<number>();
      const granted: Parameters<GrantsDeps["onGranted"]>[] = [];
      try {
        const result = await db.transaction().execute(async (transaction) => {
          // Two imports at once run one after the other.
          await moveOn(transaction);
          const onGranted: GrantsDeps["onGranted"] = (...grant) => granted.push(grant);
          const noteChanged = async (ids: readonly number[]): Promise<void> => {
            for (const id of ids) changed.add(id);
          };
          return await run(storesOn(transaction, deps, onGranted, noteChanged));
        });
        for (const grant of granted) deps.onGranted(...grant);
        return result;
      } finally {
        // Also after an error: the import may have been committed without our knowledge.
        await deps.keys.changed([...changed]);
      }
    },
  };
}

function storesOn(
  db: Kysely<Tables>,
  { clock, credentialSealer, passwords, ledger, keys: live }: Omit<ImportDeps, "db" | "onGranted">,
  onGranted: GrantsDeps["onGranted"],
  noteChanged: (ids: readonly number[]) => Promise<void>,
): ImportStores {
  const grants = createGrants({ db, clock, onGranted });
  const keys = {
    digestOf: live.digestOf,
    changed: noteChanged,
    groupChanged: live.groupChanged,
  };
  const admin = createKeyAdmin({ db, grants, keys, clock, ledger });
  return {
    channels: createChannelStore({ db, clock, credentialSealer }),
    models: createModelStore(db, clock),
    groups: createGroupStore({ db, clock, keys }),
    teams: createTeamStore({ db, grants, keys, clock }),
    users: createUserStore({ db, clock, passwords, keys }),
    quotas: createQuotaStore({ db, grants, ledger, keys, clock }),
    keys: {
      digestOf: (secret) => digestOfHeld(secret, keys),
      isKnown: (digest) => isKnownDigest(db, digest),
      names: (userId) => namesOfKeys(db, userId),
      create: (draft) => admin.createHeld(draft),
    },
    imported: createImportedObjects(db, clock),
    carry: (id, spent, limit, note) =>
      carrySpending(db, { id, spent, granted: limit, note, at: clock.now() }),
  };
}

async function isKnownDigest(db: Kysely<Tables>, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom("keys")
    .select("id")
    .where((either) =>
      either.or([either("digest", "=", digest), either("old_digest", "=", digest)]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

async function namesOfKeys(db: Kysely<Tables>, userId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("keys")
    .select("name")
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .execute();
  return rows.map(({ name }) => name);
}
