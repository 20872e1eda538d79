import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { cell, UsageError, type Noun, type Words } from "./command.ts";
import { columns } from "./columns.ts";

/** Options that are parameters of the API, by the option's name. */
const FILTERS = {
  from: "from",
  to: "to",
  user: "user_id",
  key: "key_id",
  team: "team_id",
  group: "group_id",
  model: "model",
  channel: "channel",
  endpoint: "endpoint",
  tag: "tag",
  session: "session",
  top: "limit",
} as const;
const SUMS = {
  calls: "calls",
  failed_calls: "failed",
  input_tokens: "input",
  cached_input_tokens: "cached",
  output_tokens: "output",
  reasoning_tokens: "reasoning",
  cost_usd: "cost $",
} as const;
/** Columns that are only shown if they are not empty. */
const UNITS = {
  images: "images",
  reference_images: "given images",
  media_seconds: "seconds",
  characters: "characters",
  searches: "searches",
} as const;

export const usage: Noun = {
  name: "usage",
  verbs: [
    {
      usage: "show",
      doc: "shows the usage of the last 30 days, or between two dates; grouped by any of hour, day, month, key, user, team, group, model, channel, endpoint, tag, session; --compare adds the period before",
      options: {
        from: "<date>",
        to: "<date>",
        by: "<a,b>",
        top: "<count>",
        compare: undefined,
        csv: undefined,
        user: "<id>",
        key: "<id>",
        team: "<id>",
        group: "<id>",
        model: "<name>",
        channel: "<name>",
        endpoint: "<family>",
        tag: "<name=value>",
        session: "<id>",
      },
      ask(words) {
        words.none();
        return { method: "GET", path: `/api/usage?${queryOf(words)}` };
      },
      show,
    },
  ],
};

function queryOf(words: Words): string {
  const query = new URLSearchParams({ by: words.text("by") ?? "day,model" });
  for (const [option, name] of Object.entries(FILTERS)) {
    const given = words.text(option);
    if (given !== undefined) query.set(name, given);
  }
  if (words.has("compare")) query.set("compare", "previous");
  if (words.has("csv") && words.has("json"))
    throw new UsageError("Give --csv or --json, not both.");
  if (words.has("csv")) query.set("format", "csv");
  return query.toString();
}

function show(data: JsonObject): readonly string[] {
  const document = textOf(data["document"]);
  if (document !== undefined) return [document.trimEnd()];
  const { total } = data;
  const items = listOf(data["items"]).filter(isObject);
  const by = shownKeys(items[0] ?? {});
  const isCompared = memberOf(total, "previous") !== undefined;
  const used = Object.entries(UNITS).filter(([name]) => Number(memberOf(total, name) ?? 0) > 0);
  const sums = [...Object.entries(SUMS), ...used, ...displayed(data)];
  const row = (item: JsonObject): string[] => [
    ...by.map((name) => cell(named(item, name))),
    ...sums.map(([name]) => cell(item[name] ?? null)),
    ...(isCompared ? [cell(memberOf(item["previous"], "cost_usd") ?? null), changeOf(item)] : []),
  ];
  const summed = (name: string, sum: Json | undefined): readonly string[][] =>
    isObject(sum) ? [by.length === 0 ? row(sum) : [name, ...row(sum).slice(1)]] : [];
  return columns([
    [...by, ...sums.map(([, title]) => title), ...(isCompared ? ["before $", "change"] : [])],
    ...items.map(row),
    ...summed("others", data["others"]),
    ...summed("total", total),
  ]);
}

/** The column of the currency that the gateway shows beside US dollars. */
export function displayed(data: JsonObject): readonly (readonly [string, string])[] {
  const currency = textOf(memberOf(data["display"], "currency"));
  return currency === undefined ? [] : [["cost_display", `cost ${currency}`]];
}

/** Fields that group the items; a name stands for its id. */
function shownKeys(item: JsonObject): readonly string[] {
  const isSum = (name: string): boolean =>
    name in SUMS ||
    name in UNITS ||
    name === "cost_display" ||
    name === "previous" ||
    name.endsWith("_tokens");
  return Object.keys(item)
    .filter((name) => !isSum(name) && !name.endsWith("_name"))
    .map((name) => name.replace(/_id$/, ""));
}

function named(item: JsonObject, key: string): Json {
  return item[`${key}_name`] ?? item[`${key}_id`] ?? item[key] ?? null;
}

function changeOf(item: JsonObject): string {
  const now = Number(item["cost_usd"] ?? 0);
  const before = Number(memberOf(item["previous"], "cost_usd") ?? 0);
  if (before === 0) return "-";
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${percent} %`;
}
