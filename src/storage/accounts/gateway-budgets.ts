import type { Kysely } from "kysely";
import type { GatewayBudgetStore } from "#core/quota.ts";
import { GATEWAY_OWNER } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import { keysOf, type OpenKeyStore } from "../keys/keys.ts";
import type { Tables } from "../tables.ts";
import { changeBudgets, findBudgets } from "./budgets.ts";
import type { Grants } from "./grants.ts";

interface GatewayBudgetDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly keys: Pick<OpenKeyStore, "changed">;
  readonly clock: Clock;
}

export function createGatewayBudgets(deps: GatewayBudgetDeps): GatewayBudgetStore {
  const { db, grants, keys, clock } = deps;
  return {
    list: async () => (await findBudgets(db, [GATEWAY_OWNER])).get(GATEWAY_OWNER) ?? [],

    async change(change, note) {
      try {
        await grants.transaction((on) =>
          changeBudgets(on, GATEWAY_OWNER, change, note, clock.now()),
        );
      } finally {
        // Also after an error: the change may have been committed without our knowledge.
        await keys.changed(await keysOf(db, GATEWAY_OWNER));
      }
    },
  };
}
