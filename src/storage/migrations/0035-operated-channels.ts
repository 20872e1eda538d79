import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** System prompts, time limits, proxies, rules for disabling and low balances of channels. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function operatedChannels(db: Kysely<any>, _ddl: Ddl): Promise<void> {
  const names = ["system_prompt", "timeout", "proxy", "proxy_login", "auto_disable", "low_balance"];
  for (const name of names) {
    await db.schema.alterTable("channels").addColumn(name, "text").execute();
  }
}
