import { objectOf, textOf } from "#lib/values.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { Row } from "../row.ts";
import type { OneApiTables } from "./read-one-api.ts";

/** Units of a call with a fixed price, for each of its ratio. */
const UNITS_PER_CALL = 1_000;
/** one-hub's default factors of the input price: `model/price.go`, February 2026. */
const EXTRA = { cached_tokens: 1, cached_read_tokens: 0.1, cached_write_tokens: 1.25 } as const;
const CLOUDFLARE = 35;
const BEDROCK = 32;
const VERTEX = 42;

/** The tables of one-hub in the words of new-api, so that one reader serves both. */
export function withWordsOfNewApi(tables: OneApiTables): OneApiTables {
  const { channels = [], tokens = [], options = [] } = tables;
  const prices = (tables.prices ?? []).map((each) => new Row(each));
  const groups = (tables.user_groups ?? []).map((each) => new Row(each));
  const kept = channels.filter((each) => new Row(each).text("deleted_at") === undefined);
  const models = new Set(kept.flatMap((each) => new Row(each).parts("models", /,/)));
  const units = options.find(({ key }) => key === "QuotaPerUnit")?.["value"];
  return {
    ...tables,
    channels: kept.map(channelOf),
    tokens: tokens.map(tokenOf),
    options: [
      ...options.filter(({ key }) => !REPLACED.has(textOf(key) ?? "")),
      ...groupOptions(groups),
      ...priceOptions(prices, models, Number(units) > 0 ? Number(units) : 500_000),
    ],
  };
}

const REPLACED = new Set(["GroupRatio", "ModelRatio", "CompletionRatio", "ModelPrice"]);

/** The groups that are switched off there. */
export function disabledGroups(groups: readonly Row[]): readonly string[] {
  return groups
    .filter((row) => row.has("enable") && !row.flag("enable"))
    .flatMap((row) => row.text("symbol") ?? []);
}

function channelOf(values: JsonObject): JsonObject {
  const row = new Row(values);
  const custom = row.object("custom_parameter") ?? {};
  const { overwrite, per_model, pre_add: _order, ...members } = custom;
  // Without `overwrite`, members that the client sends stay, which no override here does.
  const isForced = overwrite === true && per_model !== true;
  const plugins = Object.values(row.object("plugin") ?? {}).some((each) =>
    Object.values(objectOf(each) ?? {}).some((value) => value === true),
  );
  return {
    ...values,
    ...credentialOf(row),
    base_url: (row.text("base_url") ?? "").replace(/\/compatible-mode\/?$/, ""),
    header_override: row.object("model_headers") ?? null,
    param_override: isForced ? members : null,
    setting: {
      proxy: row.text("proxy") ?? "",
      custom_parameter: !isForced && Object.keys(members).length > 0,
      plugin: plugins,
      only_chat: row.flag("only_chat"),
      disabled_stream: [...row.texts("disabled_stream")],
    },
  };
}

/** Credentials of several parts, which one-hub orders otherwise. */
function credentialOf(row: Row): JsonObject {
  const parts = (row.text("key") ?? "").split("|").map((each) => each.trim());
  const [first = "", second = "", third = "", session = ""] = parts;
  switch (row.number("type")) {
    case BEDROCK:
      return { key: third === "" || session !== "" ? "" : `${second}|${third}|${first}` };
    case CLOUDFLARE:
      return { key: second, other: first, base_url: "" };
    case VERTEX: {
      const [region = "", project = ""] = (row.text("other") ?? "").split("|");
      return { other: region, config: { vertex_ai_project_id: project } };
    }
    default:
      return {};
  }
}

function tokenOf(values: JsonObject): JsonObject {
  const limits = objectOf(new Row(values).object("setting")?.["limits"]) ?? {};
  const models = switchedOn(limits["limit_model_setting"], "models");
  const networks = switchedOn(limits["limits_ip_setting"], "whitelist");
  return {
    ...values,
    model_limits: models.join(","),
    model_limits_enabled: models.length > 0,
    allow_ips: networks.join("\n"),
  };
}

/** An empty list limits nothing there. */
function switchedOn(setting: Json | undefined, list: string): readonly string[] {
  const { enabled, [list]: items } = objectOf(setting) ?? {};
  if (enabled !== true || !Array.isArray(items)) return [];
  return items.filter((each) => typeof each === "string");
}

function groupOptions(groups: readonly Row[]): readonly JsonObject[] {
  const named = groups.flatMap((row) => {
    const symbol = row.text("symbol");
    return symbol === undefined ? [] : [[symbol, row] as const];
  });
  const rates = named.filter(([, row]) => (row.number("api_rate") ?? 0) > 0);
  return [
    optionOf(
      "GroupRatio",
      named.map(([name, row]) => [name, row.number("ratio") ?? 1]),
    ),
    optionOf(
      "ModelRequestRateLimitGroup",
      rates.map(([name, row]) => [name, [row.number("api_rate") ?? 0, 0]]),
    ),
    { key: "ModelRequestRateLimitEnabled", value: String(rates.length > 0) },
  ];
}

/** Prices of the models that channels serve, by their names or by a pattern with `*` at its end. */
function priceOptions(
  prices: readonly Row[],
  models: ReadonlySet<string>,
  units: number,
): readonly JsonObject[] {
  const priced = [...models].flatMap((model) => {
    const row = priceFor(model, prices);
    return row === undefined ? [] : [[model, row] as const];
  });
  const perToken = priced.filter(
    // The price of output is a ratio of that of input, which is no price if input is free.
    ([, row]) => row.text("type") !== "times" && (inputOf(row) > 0 || outputOf(row) === 0),
  );
  const perCall = priced.filter(([, row]) => row.text("type") === "times");
  const table = (read: (row: Row, model: string) => number | undefined): [string, number][] =>
    perToken.flatMap(([model, row]) => {
      const value = read(row, model);
      return value === undefined ? [] : [[model, value]];
    });
  return [
    optionOf("ModelRatio", table(inputOf)),
    optionOf(
      "CompletionRatio",
      table((row) => share(outputOf(row), inputOf(row))),
    ),
    optionOf(
      "ModelPrice",
      perCall.map(([model, row]) => [model, (inputOf(row) * UNITS_PER_CALL) / units]),
    ),
    optionOf(
      "CacheRatio",
      table((row, model) =>
        extraOf(row, model.includes("claude") ? "cached_read_tokens" : "cached_tokens"),
      ),
    ),
    optionOf(
      "CreateCacheRatio",
      table((row, model) =>
        model.includes("claude") ? extraOf(row, "cached_write_tokens") : undefined,
      ),
    ),
    optionOf(
      "AudioRatio",
      table((row) => ratiosOf(row)["input_audio_tokens"]),
    ),
    optionOf(
      "AudioCompletionRatio",
      table((row) => spokenRatio(row)),
    ),
    optionOf(
      "ImageRatio",
      table((row) => ratiosOf(row)["input_image_tokens"]),
    ),
  ];
}

function priceFor(model: string, prices: readonly Row[]): Row | undefined {
  const exact = prices.find((row) => row.text("model") === model);
  if (exact !== undefined) return exact;
  const matching = prices.filter((row) => {
    const name = row.text("model") ?? "";
    return name.endsWith("*") && model.startsWith(name.slice(0, -1));
  });
  return matching.sort((a, b) => lengthOf(b) - lengthOf(a))[0];
}

function lengthOf(row: Row): number {
  return row.text("model")?.length ?? 0;
}

const inputOf = (row: Row): number => Math.max(0, row.number("input") ?? 0);
const outputOf = (row: Row): number => Math.max(0, row.number("output") ?? 0);

function ratiosOf(row: Row): Readonly<Record<string, number | undefined>> {
  const numbers = Object.entries(row.object("extra_ratios") ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return Object.fromEntries(numbers);
}

function extraOf(row: Row, name: keyof typeof EXTRA): number {
  return ratiosOf(row)[name] ?? EXTRA[name];
}

/** new-api's ratio is that of spoken output to spoken input; one-hub's that to written output. */
function spokenRatio(row: Row): number | undefined {
  const { input_audio_tokens: heard, output_audio_tokens: spoken } = ratiosOf(row);
  if (heard === undefined || spoken === undefined) return undefined;
  return share(outputOf(row) * spoken, inputOf(row) * heard);
}

function share(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}

function optionOf(key: string, entries: readonly (readonly [string, Json])[]): JsonObject {
  return { key, value: JSON.stringify(Object.fromEntries(entries)) };
}
