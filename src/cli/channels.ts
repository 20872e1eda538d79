import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, numberOf, textOf } from "#lib/values.ts";
import { cell, listing, table, type Noun, type Words } from "./command.ts";
import { columns } from "./columns.ts";

export const channels: Noun = {
  name: "channels",
  verbs: [
    {
      usage: "list",
      doc: "lists the channels of all sources",
      options: { tag: "<label>" },
      ask(words) {
        words.none();
        const tag = words.text("tag");
        const query = tag === undefined ? "" : `?tag=${encodeURIComponent(tag)}`;
        return { method: "GET", path: `/api/channel${query}` };
      },
      show: (data) =>
        table(
          data,
          [
            "id",
            "name",
            "source",
            "success 5 min",
            "first byte p50",
            "in flight",
            "today $",
            "health",
          ],
          (channel) => [
            channel["id"] ?? null,
            channel["name"] ?? null,
            channel["source"] ?? null,
            shareOf(memberOf(recentOf(channel), "success_rate")),
            timeOf(memberOf(recentOf(channel), "first_byte_p50_ms")),
            channel["in_flight"] ?? null,
            memberOf(channel["health"], "spend_today_usd") ?? null,
            healthText(channel),
          ],
        ),
    },
    {
      usage: "test <id|name>",
      doc: "tests a channel: requests its model list, or one token of a model",
      options: { model: "<name>" },
      ask: (words) => ({
        method: "POST",
        path: `${channelPath(words)}/test`,
        body: defined({ model: words.text("model") }),
      }),
      show: showProbes,
      isFailure: (data) => flagOf(data["ok"]) !== true,
    },
    change("enable <id>", "enables a channel", 1),
    change("disable <id>", "disables a channel; its running calls are completed", 2),
  ],
};

/** The channel's state in plain words, as the gateway gives them. */
export function healthText(channel: JsonObject): string {
  return textOf(memberOf(channel["health"], "text")) ?? "";
}

function recentOf(channel: JsonObject): Json | undefined {
  return memberOf(channel["health"], "last_5_minutes");
}

function shareOf(rate: Json | undefined): string {
  return typeof rate === "number" ? `${Math.floor(rate * 100)} %` : "";
}

function timeOf(ms: Json | undefined): string {
  return typeof ms === "number" ? `${ms} ms` : "";
}

function change(usage: string, doc: string, status: number): Noun["verbs"][number] {
  return {
    usage,
    doc,
    ask: (words) => ({ method: "PUT", path: channelPath(words), body: { status } }),
    show: listing,
  };
}

export function showProbes(data: JsonObject): readonly string[] {
  const issue = textOf(data["trouble"]);
  if (issue !== undefined) return [`not tested: ${issue}`];
  const probes = listOf(data["probes"]).filter(isObject);
  return columns(
    probes.map((probe) => [
      textOf(probe["credential"]) ?? "no credential",
      flagOf(probe["ok"]) === true ? "good" : cell(probe["fault"] ?? null),
      `${Math.round(numberOf(probe["latency_ms"]) ?? 0)} ms`,
      typeof probe["models"] === "number" ? `${probe["models"]} models` : "",
      textOf(probe["message"]) ?? "",
    ]),
  );
}

function channelPath(words: Words): string {
  return `/api/channel/${encodeURIComponent(words.one("the id or name of a channel"))}`;
}
