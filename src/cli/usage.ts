import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { cell, type Noun, type Words } from "./command.ts";
import { columns } from "./columns.ts";

const FILTERS = { user: "user_id", key: "key_id", model: "model", channel: "channel" } as const;
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
      doc: "shows the usage of the last 30 days, or between two dates; grouped by any of hour, day, month, key, user, model, channel",
      options: {
        from: "<date>",
        to: "<date>",
        by: "<a,b>",
        user: "<id>",
        key: "<id>",
        model: "<name>",
        channel: "<name>",
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
  for (const name of ["from", "to"]) {
    const given = words.text(name);
    if (given !== undefined) query.set(name, given);
  }
  for (const [option, name] of Object.entries(FILTERS)) {
    const given = words.text(option);
    if (given !== undefined) query.set(name, given);
  }
  return query.toString();
}

function show(data: JsonObject): readonly string[] {
  const items = listOf(data["items"]).filter(isObject);
  const by = Object.keys(items[0] ?? {}).filter(
    (name) => !(name in SUMS) && !(name in UNITS) && !name.endsWith("_tokens"),
  );
  const total = data["total"];
  const used = Object.entries(UNITS).filter(([name]) => Number(memberOf(total, name) ?? 0) > 0);
  const sums = [...Object.entries(SUMS), ...used];
  const row = (item: JsonObject): string[] =>
    [...by, ...sums.map(([name]) => name)].map((name) => cell(item[name] ?? null));
  return columns([
    [...by, ...sums.map(([, title]) => title)],
    ...items.map(row),
    ...(isObject(total) ? [by.length === 0 ? row(total) : ["total", ...row(total).slice(1)]] : []),
  ]);
}
