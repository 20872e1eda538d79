import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import type { AlertDestination, AlertDestinationStore, DestinationAddress } from "#core/alert.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { parseJson } from "#lib/json.ts";
import type { Seal } from "#lib/seal.ts";
import { defined } from "#lib/values.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { isUniqueViolation } from "../database/unique.ts";
import type { Tables } from "../tables.ts";
import type { AlertDestinationsTable } from "../tables/alerts.ts";

interface DestinationStoreDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly seal: Seal;
}

const MAX_DESTINATIONS = 100;

export function createAlertDestinations({
  db,
  clock,
  seal,
}: DestinationStoreDeps): AlertDestinationStore {
  return {
    async list() {
      const rows = await db.selectFrom("alert_destinations").selectAll().orderBy("id").execute();
      return rows.map(toDestination);
    },

    find: (id) => find(db, id),

    create: ({ name, kind, isEnabled, address }) =>
      named(name, () =>
        inTransaction(db, async (transaction) => {
          const { count } = await transaction
            .selectFrom("alert_destinations")
            .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
            .executeTakeFirstOrThrow();
          if (Number(count) >= MAX_DESTINATIONS) throw tooMany();
          const now = clock.now();
          const row = await transaction
            .insertInto("alert_destinations")
            .values({
              name,
              kind,
              is_enabled: Number(isEnabled),
              address: close(address, kind),
              created_at: now,
              updated_at: now,
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          return toDestination(row);
        }),
      ),

    change: (id, change) =>
      named(change.name ?? "", () =>
        inTransaction(db, async (transaction) => {
          const before = await find(transaction, id);
          if (before === undefined) return undefined;
          const { name = before.name, kind = before.kind, isEnabled, address } = change;
          if (name !== before.name) await renameInRules(transaction, before.name, name);
          await transaction
            .updateTable("alert_destinations")
            .set({
              name,
              kind,
              updated_at: clock.now(),
              ...defined({
                is_enabled: isEnabled === undefined ? undefined : Number(isEnabled),
                address: address === undefined ? undefined : close(address, kind),
              }),
            })
            .where("id", "=", id)
            .execute();
          return await find(transaction, id);
        }),
      ),

    delete: (id) =>
      inTransaction(db, async (transaction) => {
        const before = await find(transaction, id);
        if (before === undefined) return false;
        await renameInRules(transaction, before.name, undefined);
        await transaction.deleteFrom("alert_destinations").where("id", "=", id).execute();
        return true;
      }),
  };

  async function find(on: Kysely<Tables>, id: number): Promise<AlertDestination | undefined> {
    const row = await on
      .selectFrom("alert_destinations")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row && toDestination(row);
  }

  function close(address: DestinationAddress, kind: string): string {
    return seal.close(Buffer.from(JSON.stringify(address)), kind);
  }

  function toDestination(row: Selectable<AlertDestinationsTable>): AlertDestination {
    const opened = seal.open(row.address, row.kind);
    const address = opened && ADDRESS.safeParse(parseJson(Buffer.from(opened).toString())).data;
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      isEnabled: row.is_enabled === 1,
      address: address && defined(address),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  }
}

const ADDRESS = z.object({
  url: z.string().optional(),
  secret: z.string().optional(),
  to: z.array(z.string()).optional(),
});

/** Rules name their destinations. */
async function renameInRules(
  db: Kysely<Tables>,
  from: string,
  to: string | undefined,
): Promise<void> {
  const rows = await db
    .selectFrom("alert_rules")
    .select(["id", "destinations"])
    .where("destinations", "is not", null)
    .execute();
  for (const { id, destinations } of rows) {
    const names = z.array(z.string()).parse(JSON.parse(destinations ?? "[]"));
    if (!names.includes(from)) continue;
    const renamed = names.flatMap((each) =>
      each !== from ? [each] : to === undefined ? [] : [to],
    );
    await db
      .updateTable("alert_rules")
      .set({ destinations: JSON.stringify(renamed) })
      .where("id", "=", id)
      .execute();
  }
}

async function named<T>(name: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause;
    throw invalid("name", `A destination named '${name}' already exists. Choose another name.`);
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The limit of ${MAX_DESTINATIONS} destinations is reached. Delete some first.`,
  );
}
