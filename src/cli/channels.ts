import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, numberOf, textOf } from "#lib/values.ts";
import { cell, listing, table, UsageError, type Noun, type Prompt, type Words } from "./command.ts";
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
      doc: "tests a channel, or --all: requests its model list, or one token of a model",
      options: { model: "<name>", all: undefined, tag: "<label>" },
      ask: (words) => (words.has("all") ? testOfAll(words) : testOfOne(words)),
      show: (data) => (data["items"] === undefined ? showProbes(data) : showReport(data)),
      isFailure: (data) =>
        data["items"] === undefined ? flagOf(data["ok"]) !== true : numberOf(data["failed"]) !== 0,
    },
    {
      usage: "copy <id|name>",
      doc: "stores a copy of a channel with its credentials, disabled",
      options: { name: "<name>" },
      ask: (words) => ({
        method: "POST",
        path: `${channelPath(words)}/copy`,
        body: defined({ name: words.text("name") }),
      }),
      show: listing,
    },
    {
      usage: "balance <id|name>",
      doc: "asks the vendor for the balance of a channel's account",
      ask: (words) => ({ method: "GET", path: `${channelPath(words)}/balance` }),
      show: listing,
      isFailure: (data) => flagOf(data["usable"]) === false,
    },
    {
      usage: "enable <id|name>",
      doc: "enables a channel, also one that the gateway disabled",
      ask: (words) => ({ method: "POST", path: `${channelPath(words)}/enable` }),
      show: listing,
    },
    {
      usage: "disable <id>",
      doc: "disables a channel; its running calls are completed",
      ask: (words) => ({ method: "PUT", path: channelPath(words), body: { status: 2 } }),
      show: listing,
    },
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

function testOfOne(words: Words): Prompt {
  if (words.text("tag") !== undefined) throw new UsageError("--tag needs --all.");
  const body = defined({ model: words.text("model") });
  return { method: "POST", path: `${channelPath(words)}/test`, body };
}

function testOfAll(words: Words): Prompt {
  words.none();
  if (words.text("model") !== undefined)
    throw new UsageError("--all and --model exclude each other.");
  return { method: "POST", path: "/api/channel/test", body: defined({ tag: words.text("tag") }) };
}

/** The results of all channels, each below its name. */
function showReport(data: JsonObject): readonly string[] {
  const lines = listOf(data["items"])
    .filter(isObject)
    .flatMap((each) => [
      `${textOf(each["name"]) ?? ""} (${textOf(each["provider"]) ?? ""})`,
      ...showProbes(each).map((line) => `  ${line}`),
    ]);
  return [...lines, `tested: ${cell(data["tested"] ?? 0)}, failed: ${cell(data["failed"] ?? 0)}`];
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
