import type { ChannelDraft } from "#core/stored-routing.ts";
import { parseJson, type Json } from "#lib/json.ts";
import { defined, memberOf, numberOf } from "#lib/values.ts";
import type { ChannelsTable } from "../tables/channels.ts";

type Columns = Pick<
  ChannelsTable,
  "system_prompt" | "timeout" | "proxy" | "auto_disable" | "low_balance"
>;

type Operation = Pick<ChannelDraft, "systemPrompt" | "timeout" | "autoDisable" | "lowBalance">;

/** The columns that say how the gateway works with a channel, except its proxy's login. */
export function operationColumns(entry: Operation & Pick<ChannelDraft, "proxy">): Columns {
  const { timeout, autoDisable } = entry;
  return {
    system_prompt: entry.systemPrompt ?? null,
    timeout: timeout === undefined ? null : JSON.stringify(timeout),
    proxy: entry.proxy?.url ?? null,
    auto_disable: autoDisable === undefined ? null : JSON.stringify(autoDisable),
    low_balance: entry.lowBalance === undefined ? null : String(entry.lowBalance),
  };
}

export function toOperation(row: Columns): Operation {
  return defined({
    systemPrompt: row.system_prompt ?? undefined,
    timeout: row.timeout === null ? undefined : toTimeout(parseJson(row.timeout)),
    autoDisable: row.auto_disable === null ? undefined : toRules(parseJson(row.auto_disable)),
    lowBalance: row.low_balance === null ? undefined : Number(row.low_balance),
  });
}

function toTimeout(json: Json | undefined): NonNullable<Operation["timeout"]> {
  return defined({
    firstByteMs: numberOf(memberOf(json, "firstByteMs")),
    totalMs: numberOf(memberOf(json, "totalMs")),
  });
}

function toRules(json: Json | undefined): NonNullable<Operation["autoDisable"]> {
  return defined({
    refused: flagOf(memberOf(json, "refused")),
    failingShare: numberOf(memberOf(json, "failingShare")),
    minAttempts: numberOf(memberOf(json, "minAttempts")),
    windowMs: numberOf(memberOf(json, "windowMs")),
    noBalance: flagOf(memberOf(json, "noBalance")),
  });
}

function flagOf(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
