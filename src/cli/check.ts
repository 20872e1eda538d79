import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import type { ChannelConfig } from "#config/channels.ts";
import { instant } from "#config/documents/key.ts";
import type { KeyConfig } from "#config/keys.ts";
import { describeFormerName } from "#config/former-names.ts";
import { describeMisspelt } from "#config/misspelt-variables.ts";
import { ConfigError, describeSpot } from "#config/mistakes.ts";
import type { ModelOverride } from "#config/models.ts";
import type { RateLimits } from "#core/limits.ts";
import { formatUsd, type Rates } from "#core/money.ts";
import { writeRates } from "#core/rate-words.ts";
import type { JsonObject } from "#lib/json.ts";
import { columns } from "./columns.ts";

interface CheckInput extends ConfigInput {
  readonly isJson?: boolean;
  readonly output: { write(text: string): unknown };
}

/**
 * `sluice check`: prints the effective configuration with the source of each
 * value, or all mistakes in it. Returns the exit code.
 */
export function check({ isJson, output, ...input }: CheckInput): 0 | 1 {
  let config: Config;
  try {
    config = loadConfig(input);
  } catch (error) {
    // This command reports configuration mistakes; other errors are unexpected.
    if (!(error instanceof ConfigError)) throw error;
    output.write(
      isJson ? writeJson({ valid: false, mistakes: [...error.mistakes] }) : `${error.message}\n`,
    );
    return 1;
  }
  output.write(isJson ? writeJson(summarize(config)) : describeConfig(config));
  return 0;
}

function writeJson(object: JsonObject): string {
  return `${JSON.stringify(object, null, 2)}\n`;
}

/** The same values as in the text, without credentials. */
function summarize({ origins, channels, keys, models, ...more }: Config): JsonObject {
  return {
    valid: true,
    settings: [...origins].map(([name, { shown, from }]) => ({
      name,
      value: shown,
      source: from === "default" ? from : describeSpot(from),
    })),
    channels: channels.map(({ name }) => name),
    keys: keys.map(({ name }) => name),
    models: [...models.keys()],
    warnings: [
      ...more.misspelt.map((each) => describeMisspelt(each)),
      ...more.formerNames.map((each) => describeFormerName(each)),
    ],
  };
}

function describeConfig(config: Config): string {
  const settings = [...config.origins].map(([name, { shown, from }]) => [
    name,
    shown,
    from === "default" ? from : describeSpot(from),
  ]);
  return [
    section("Settings", settings),
    section("Channels", config.channels.map(describeChannel)),
    section("Keys", config.keys.map(describeKey)),
    section("Models", [...config.models].map(describeModel)),
    ...config.misspelt.map((each) => `${describeMisspelt(each)}\n`),
    ...config.formerNames.map((each) => `${describeFormerName(each)}\n`),
    "The configuration is valid.\n",
  ].join("\n");
}

function describeChannel(channel: ChannelConfig): string[] {
  const { models, credentials } = channel;
  return [
    channel.name,
    channel.provider,
    channel.baseUrl ?? "default URL",
    credentials.length === 1 ? "1 credential" : `${credentials.length} credentials`,
    [
      `priority ${channel.priority}, weight ${channel.weight}, at most ${channel.maxConcurrent} calls`,
      ...describeLimits(channel.limits),
    ].join(", "),
    channel.style === undefined ? "any style" : `style ${channel.style}`,
    models.kind === "discover" ? "all models of the upstream" : describeNames(models.upstreamNames),
  ];
}

function describeNames(upstreamNames: ReadonlyMap<string, string>): string {
  return [...upstreamNames]
    .map(([name, upstream]) => (name === upstream ? name : `${name} (${upstream})`))
    .join(", ");
}

function describeKey(key: KeyConfig): string[] {
  return [
    key.name,
    "***",
    key.quota === undefined ? "no quota" : `up to ${formatUsd(key.quota)}`,
    key.expiresAt === undefined ? "never expires" : `until ${instant.format(key.expiresAt)}`,
    [...describeLimits(key.limits), key.models.join(", ")].join(", "),
  ];
}

function describeModel([name, model]: readonly [string, ModelOverride]): string[] {
  const { grades = {}, variants = [], ...rates } = model.rates ?? {};
  const prices = [
    ...describeRates(rates),
    ...Object.entries(grades).map(([grade, each]) => `${grade}: ${describeRates(each).join(" ")}`),
    ...(variants.length === 0 ? [] : [`${variants.length} price variants`]),
  ];
  return [
    name,
    [
      ...prices,
      ...(model.contextTokens === undefined ? [] : [`context ${model.contextTokens}`]),
      ...(model.maxOutputTokens === undefined ? [] : [`max output ${model.maxOutputTokens}`]),
      ...describeLimits(model.limits),
    ].join(", "),
    model.source,
  ];
}

function describeLimits(limits: RateLimits = {}): string[] {
  const { requestsPerMinute, tokensPerMinute, concurrency } = limits;
  return [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests/min`]),
    ...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tokens/min`]),
    ...(concurrency === undefined ? [] : [`${concurrency} at once`]),
  ];
}

function describeRates(rates: Partial<Rates>): string[] {
  return writeRates(rates).map(
    ({ word, scale, written }) => `${word} $${written}${scale === "million" ? "/M" : ""}`,
  );
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.length === 0 ? ["none"] : columns(rows);
  return `${[title, ...lines].join("\n  ")}\n`;
}
