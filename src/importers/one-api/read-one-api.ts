import type { ImportDocument } from "#core/import.ts";
import type { JsonObject } from "#lib/json.ts";
import { ImportDraft } from "../draft.ts";
import { Row } from "../row.ts";
import { readChannels } from "./channels.ts";
import type { Program } from "./channel-types.ts";
import { Groups } from "./groups.ts";
import { leaveRest } from "./left.ts";
import { withWordsOfNewApi } from "./one-hub.ts";
import { Options } from "./options.ts";
import { readPrices } from "./prices.ts";
import { readTokens } from "./tokens.ts";
import { readUsers } from "./users.ts";

/** Tables that are read, if the version has them. */
export const ONE_API_TABLES = [
  "channels",
  "users",
  "tokens",
  "options",
  "redemptions",
  "user_subscriptions",
  "two_fas",
  "user_groups",
  "prices",
] as const;

export type OneApiTables = {
  readonly [T in (typeof ONE_API_TABLES)[number]]?: readonly JsonObject[];
};

/** Which program wrote the tables; undefined if they have no sign of one. */
export function programOf({ channels = [], tokens = [] }: OneApiTables): Program | undefined {
  const [channel, token] = [channels[0] ?? {}, tokens[0] ?? {}];
  const has = (row: JsonObject, name: string): boolean => Object.hasOwn(row, name);
  if (has(channel, "proxy") || has(channel, "only_chat") || has(token, "backup_group")) {
    return "one-hub";
  }
  if (has(channel, "auto_ban") || has(token, "model_limits_enabled")) return "new-api";
  if (has(channel, "config") || has(token, "subnet")) return "one-api";
  return undefined;
}

/** Reads an installation of one of the programs. `source`: the name of the import. */
export function readOneApi(
  program: Program,
  given: OneApiTables,
  source: string = program,
): ImportDocument {
  const draft = new ImportDraft(source);
  const tables = program === "one-hub" ? withWordsOfNewApi(given) : given;
  const rows = (name: keyof OneApiTables): readonly Row[] =>
    (tables[name] ?? []).map((each) => new Row(each)).sort(byId);
  const options = new Options(rows("options"));
  const channels = rows("channels");
  const refs = readChannels(
    channels,
    { program, isAutoDisabling: options.isOn("AutomaticDisableChannelEnabled") },
    draft,
  );
  const served = channels
    .filter((row) => refs.has(row.number("id") ?? 0))
    .flatMap((row) => row.parts("models", /,/));
  readPrices(program, options, [...new Set(served)].sort(), draft);
  const groups = new Groups(options, channels, refs, draft);
  const { unitsPerDollar } = options;
  const users = readUsers(rows("users"), unitsPerDollar, groups, draft);
  readTokens(rows("tokens"), { program, unitsPerDollar, users, groups }, draft);
  leaveRest(program, options, rows, draft);
  return draft.document;
}

function byId(one: Row, other: Row): number {
  return (one.number("id") ?? 0) - (other.number("id") ?? 0);
}
