import { invalid } from "#core/error.ts";
import { FAMILIES, type Family } from "#core/family.ts";
import { KEY_STATUS, MODEL_PATTERN } from "#core/key.ts";
import type { KeyChange } from "#core/own-keys.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { isNetwork } from "#lib/networks.ts";
import { integer, list, object, text, type NumberRule } from "#lib/rules.ts";
import { defined, textOf } from "#lib/values.ts";
import { readUsd, USD } from "../usd.ts";

const MAX_MODELS = 1_000;
const MAX_NETWORKS = 100;
const LAST_SECOND = 253_402_300_799;

const bound: NumberRule = integer(1, 1_000_000_000, "No bound where it is null.");

const FIELDS = {
  name: text({ minLength: 1, maxLength: 100 }),
  expires_at: integer(0, LAST_SECOND, "Unix seconds; null for never."),
  models: {
    ...list(text({ minLength: 1, maxLength: 201 }), MAX_MODELS, 1),
    doc: "Names, or beginnings of names with a * behind them; null for all.",
  },
  quota_usd: USD,
  ip_ranges: {
    ...list(text({ maxLength: 64 }), MAX_NETWORKS, 1),
    doc: "Networks it may be used from; null for anywhere.",
  },
  endpoints: {
    ...list(text({ oneOf: FAMILIES }), FAMILIES.length, 1),
    doc: "Families of endpoints it may call; null for all.",
  },
  rpm: bound,
  tpm: bound,
  concurrency: bound,
};

const { name, ...others } = FIELDS;

export const NEW_TOKEN = object({ "name!": name, ...others });

export const CHANGED_TOKEN = object({
  id: integer(1, Number.MAX_SAFE_INTEGER),
  status: integer(1, 2, "1 enabled, 2 disabled."),
  ...FIELDS,
});

/** Of a body that was held to one of the rules above. */
export function readTokenFields(body: JsonObject): Omit<KeyChange, "status"> {
  const given = textOf(body["name"]);
  if (given !== undefined && (given.trim() !== given || /\p{C}/u.test(given))) {
    throw invalid("name", "'name' has white space around it, or characters that cannot be seen.");
  }
  const expiresAt = numberIn(body["expires_at"]);
  return defined({
    name: given,
    models: readTexts(body["models"], "models", (item) => MODEL_PATTERN.test(item), ["*"]),
    quota: readUsd(body["quota_usd"], "quota_usd"),
    expiresAt: typeof expiresAt === "number" ? expiresAt * 1_000 : expiresAt,
    networks: readTexts(body["ip_ranges"], "ip_ranges", isNetwork, null),
    endpoints: readFamilies(body["endpoints"]),
    limits: defined({
      requestsPerMinute: numberIn(body["rpm"]),
      tokensPerMinute: numberIn(body["tpm"]),
      concurrency: numberIn(body["concurrency"]),
    }),
  });
}

export function readStatus(body: JsonObject): KeyChange["status"] {
  const { status } = body;
  return status === KEY_STATUS.enabled || status === KEY_STATUS.disabled ? status : undefined;
}

function readFamilies(value: Json | undefined): readonly Family[] | null | undefined {
  if (value === null) return null;
  return isArray(value) ? FAMILIES.filter((family) => value.includes(family)) : undefined;
}

function numberIn(value: Json | undefined): number | null | undefined {
  return typeof value === "number" || value === null ? value : undefined;
}

function readTexts<N>(
  value: Json | undefined,
  param: string,
  isGood: (item: string) => boolean,
  whenNull: N,
): readonly string[] | N | undefined {
  if (value === null) return whenNull;
  if (!isArray(value)) return undefined;
  const items = value.filter((item) => typeof item === "string");
  const bad = items.findIndex((item) => !isGood(item));
  if (bad >= 0) {
    const what = param === "models" ? "a model's name" : "an IP network such as 10.0.0.0/8";
    throw invalid(`${param}[${bad}]`, `'${param}[${bad}]' is not ${what}.`);
  }
  return items;
}
