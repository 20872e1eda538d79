import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, numberOf, textOf } from "#lib/values.ts";
import { cell, listing, table, UsageError, type Noun, type Prompt, type Words } from "./command.ts";
import { channelPath, CHANNEL_CHANGES } from "./channel-changes.ts";
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
      usage: "explain <model>",
      doc: "shows the channels of a text model in the order of attempts, and those passed over",
      options: { style: "<style>", key: "<id>" },
      ask: (words) => ({
        method: "POST",
        path: "/api/channel/explain",
        body: {
          model: words.one("the name of a model"),
          ...defined({ style: words.text("style"), token_id: words.count("key") }),
        },
      }),
      show: listing,
    },
    {
      usage: "test <id|name>",
      doc: "tests a channel, or --all: requests its model list, or one token of a model",
      options: {
        model: "<name>",
        all: undefined,
        tag: "<label>",
        only: "passed|failed|not_tested",
      },
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
      usage: "change <id> ...",
      doc: "shows a change of several channels, or makes it with --apply",
      options: {
        tag: "<label>",
        priority: "<number>",
        weight: "<number>",
        proxy: "<url|none>",
        status: "enabled|disabled",
        "add-tags": "<labels>",
        "remove-tags": "<labels>",
        apply: undefined,
      },
      ask: changeOfMany,
      show: showPlan,
    },
    {
      usage: "try <provider>",
      doc: "tests a new channel without storing it, and lists its models with their prices; the credential is read from standard input",
      options: { "base-url": "<url>", model: "<name>" },
      ask: async (words) => ({
        method: "POST",
        path: "/api/channel/draft-test",
        body: defined({
          provider: words.one("the id of a provider"),
          base_url: words.text("base-url"),
          test_model: words.text("model"),
          api_key: await words.secret("the credential"),
        }),
      }),
      show: showDraft,
      isFailure: (data) => flagOf(data["ok"]) !== true,
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
      usage: "disable <id|name>",
      doc: "disables a channel; its running calls are completed",
      ask: (words) => ({ method: "PUT", path: channelPath(words), body: { status: 2 } }),
      show: listing,
    },
    ...CHANNEL_CHANGES,
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
  for (const option of ["tag", "only"]) {
    if (words.text(option) !== undefined) throw new UsageError(`--${option} needs --all.`);
  }
  const body = defined({ model: words.text("model") });
  return { method: "POST", path: `${channelPath(words)}/test`, body };
}

function testOfAll(words: Words): Prompt {
  words.none();
  if (words.text("model") !== undefined)
    throw new UsageError("--all and --model exclude each other.");
  const body = defined({ tag: words.text("tag"), only: words.text("only") });
  return { method: "POST", path: "/api/channel/test", body };
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

function changeOfMany(words: Words): Prompt {
  const tag = words.text("tag");
  const ids = tag === undefined ? words.some("ids of channels, or --tag") : undefined;
  if (tag !== undefined) words.none();
  const status = words.text("status");
  if (status !== undefined && status !== "enabled" && status !== "disabled") {
    throw new UsageError("--status takes enabled or disabled.");
  }
  return {
    method: "POST",
    path: "/api/channel/bulk",
    body: defined({
      tag,
      ids: ids?.map(Number),
      change: defined({
        priority: numberIn(words, "priority"),
        weight: numberIn(words, "weight"),
        proxy: proxyIn(words),
        status: status === undefined ? undefined : status === "enabled" ? 1 : 2,
      }),
      add_tags: words.list("add-tags"),
      remove_tags: words.list("remove-tags"),
      apply: words.has("apply") ? true : undefined,
    }),
  };
}

/** Null removes it. */
function proxyIn(words: Words): string | null | undefined {
  const given = words.text("proxy");
  return given === "none" ? null : given;
}

function numberIn(words: Words, option: string): number | undefined {
  const given = words.text(option);
  if (given === undefined) return undefined;
  if (/^-?\d{1,4}(\.\d{1,3})?$/.test(given)) return Number(given);
  throw new UsageError(`--${option} takes a number.`);
}

function showPlan(data: JsonObject): readonly string[] {
  const items = listOf(data["items"]).filter(isObject);
  const lines = items.flatMap((each) => {
    const changes = Object.entries(isObject(each["changes"]) ? each["changes"] : {});
    return [
      `${textOf(each["name"]) ?? ""}${changes.length === 0 ? ": no change" : ""}`,
      ...changes.map(
        ([field, change]) =>
          `  ${field}: ${JSON.stringify(memberOf(change, "before"))} -> ${JSON.stringify(memberOf(change, "after"))}`,
      ),
    ];
  });
  const skipped = listOf(data["skipped"])
    .filter(isObject)
    .map((each) => `${textOf(each["name"]) ?? ""}: ${textOf(each["reason"]) ?? ""}`);
  const end = flagOf(data["applied"]) === true ? "changed" : "not changed; repeat with --apply";
  return [...lines, ...skipped, `${items.length} channels ${end}`];
}

function showDraft(data: JsonObject): readonly string[] {
  const models = listOf(data["models"]).filter(isObject);
  const price = (model: JsonObject, name: string): string => {
    const rate = memberOf(model["price"], name);
    return rate === undefined ? "" : `${name} $${cell(rate)}`;
  };
  return [
    ...showProbes(data),
    ...columns(
      models.map((model) => [
        textOf(model["id"]) ?? "",
        price(model, "input"),
        price(model, "output"),
        textOf(memberOf(model["price"], "date")) ?? "no price",
      ]),
    ),
    `models: ${cell(data["models_total"] ?? 0)}`,
  ];
}
