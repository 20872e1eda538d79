import { sql, type Kysely } from "kysely";
import type { Atomically } from "#core/configuration.ts";
import { GATEWAY_OWNER } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import type { Seal } from "#lib/seal.ts";
import { createAlertDestinations } from "../alerts/destinations.ts";
import { createAlertRules } from "../alerts/rules.ts";
import { createChannelStore } from "../routing/channels.ts";
import { createGatewayBudgets } from "../accounts/gateway-budgets.ts";
import { lockBudgets } from "../accounts/budgets.ts";
import { createGrants, type GrantsDeps } from "../accounts/grants.ts";
import type { OpenKeyStore } from "../keys/keys.ts";
import { createModelStore } from "../routing/models.ts";
import { moveOn } from "../routing/routing-version.ts";
import type { CredentialSealer } from "../secrets/sealed.ts";
import { createSettingStore } from "../routing/settings.ts";
import type { Tables } from "../tables.ts";
import { createTeamStore } from "../access/teams.ts";
import { createGroupStore } from "../access/user-groups.ts";

interface AtomicallyDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly credentialSealer: CredentialSealer;
  readonly destinationSeal: Seal;
  readonly keys: Pick<OpenKeyStore, "changed" | "groupChanged">;
  readonly onGranted: GrantsDeps["onGranted"];
}

/** The same stores on one transaction; caches are invalidated at its end. */
export function createAtomically({
  db,
  clock,
  credentialSealer,
  destinationSeal,
  ...told
}: AtomicallyDeps): Atomically {
  return async (run) => {
    const atEnd: (() => unknown)[] = [];
    const keys: AtomicallyDeps["keys"] = {
      changed: async (ids) => void atEnd.push(() => told.keys.changed(ids)),
      groupChanged: (id) => atEnd.push(() => told.keys.groupChanged(id)),
    };
    const granted: Parameters<GrantsDeps["onGranted"]>[] = [];
    try {
      const result = await db.transaction().execute(async (transaction) => {
        await lockDescribed(transaction);
        const onGranted: GrantsDeps["onGranted"] = (...grant) => granted.push(grant);
        const grants = createGrants({ db: transaction, clock, onGranted });
        return await run({
          settings: createSettingStore(transaction, clock),
          channels: createChannelStore({ db: transaction, clock, credentialSealer }),
          models: createModelStore(transaction, clock),
          groups: createGroupStore({ db: transaction, clock, keys }),
          teams: createTeamStore({ db: transaction, grants, keys, clock }),
          gatewayBudgets: createGatewayBudgets({ db: transaction, grants, keys, clock }),
          alertRules: createAlertRules(transaction, clock),
          alertDestinations: createAlertDestinations({
            db: transaction,
            clock,
            seal: destinationSeal,
          }),
        });
      });
      for (const grant of granted) told.onGranted(...grant);
      return result;
    } finally {
      // Also after an error: the change may have been committed without our knowledge.
      for (const tell of atEnd) await tell();
    }
  };
}

/** Locks the configuration until the transaction ends. */
async function lockDescribed(transaction: Kysely<Tables>): Promise<void> {
  await moveOn(transaction);
  // An update with the same values locks the rows on both engines.
  await transaction
    .updateTable("groups")
    .set(({ ref }) => ({ name: ref("name") }))
    .execute();
  await transaction
    .updateTable("alert_destinations")
    .set(({ ref }) => ({ name: ref("name") }))
    .execute();
  await transaction
    .updateTable("alert_rules")
    .set(({ ref }) => ({ name: ref("name") }))
    .execute();
  await transaction
    .updateTable("teams")
    .set(({ ref }) => ({ name: ref("name") }))
    .execute();
  await transaction
    .updateTable("budgets")
    .set(({ ref }) => ({ terms: ref("terms") }))
    .where(sql<string>`owner`, "like", "team:%")
    .execute();
  await lockBudgets(transaction, GATEWAY_OWNER);
}
