import type { JsonObject } from "#lib/json.ts";
import { listing, moment, table, UsageError, type Verb, type Words } from "./command.ts";

/** Verbs that show, create and change one channel. */
export const CHANNEL_CHANGES: readonly Verb[] = [
  {
    usage: "show <id|name>",
    doc: "shows a channel; credentials are never shown",
    ask: (words) => ({ method: "GET", path: channelPath(words) }),
    show: listing,
  },
  {
    usage: "history <id|name>",
    doc: "shows the attempts on a channel by the minute, of 48 hours or between two times",
    options: { from: "<date>", to: "<date>" },
    ask: (words) => ({ method: "GET", path: `${channelPath(words)}/history${spanOf(words)}` }),
    show: (data) =>
      table(data, ["minute", "attempts", "failed", "first byte p50", "cost $"], (minute) => [
        moment(minute["minute"] ?? minute["at"]),
        minute["attempts"] ?? null,
        minute["failed"] ?? null,
        minute["first_byte_p50_ms"] ?? null,
        minute["cost_usd"] ?? null,
      ]),
  },
  {
    usage: "create",
    doc: "creates a channel from fields of the API; @file keeps credentials out of the shell's history",
    options: { set: "<@file|json>" },
    async ask(words) {
      words.none();
      return { method: "POST", path: "/api/channel", body: await fieldsIn(words) };
    },
    show: listing,
  },
  {
    usage: "edit <id|name>",
    doc: "changes the given fields of a channel",
    options: { set: "<@file|json>" },
    ask: async (words) => ({
      method: "PUT",
      path: channelPath(words),
      body: await fieldsIn(words),
    }),
    show: listing,
  },
  {
    usage: "delete <id|name>",
    doc: "deletes a channel of the database; its running calls are completed",
    ask: (words) => ({ method: "DELETE", path: channelPath(words) }),
    show: listing,
  },
];

async function fieldsIn(words: Words): Promise<JsonObject> {
  const fields = await words.object("set");
  if (Object.keys(fields).length > 0) return fields;
  throw new UsageError("Give the fields with --set, such as --set @channel.json.");
}

function spanOf(words: Words): string {
  const query = new URLSearchParams();
  for (const name of ["from", "to"]) {
    const given = words.text(name);
    if (given !== undefined) query.set(name, given);
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

export function channelPath(words: Words): string {
  return `/api/channel/${encodeURIComponent(words.one("the id or name of a channel"))}`;
}
