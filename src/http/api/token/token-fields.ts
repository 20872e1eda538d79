import { FAMILIES, type Family } from "#core/family.ts";
import { KEY_STATUS } from "#core/key.ts";
import type { KeyChange } from "#core/user-keys.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { isNetwork } from "#lib/networks.ts";
import { integer, list, object, text } from "#lib/rules.ts";
import { defined, numberOrNull } from "#lib/values.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { LIMITS, readLimits } from "../limit-fields.ts";
import { MODELS, NAME, readModels, readName, readTexts } from "../name-fields.ts";
import { readUsd, USD } from "../usd.ts";

const MAX_NETWORKS = 100;
const A_NETWORK = "an IP network such as 10.0.0.0/8";
const LAST_SECOND = 253_402_300_799;

const FIELDS = {
  name: NAME,
  expires_at: integer(0, LAST_SECOND, "Unix seconds; null for never."),
  models: MODELS,
  quota_usd: USD,
  ...BUDGETS,
  ip_ranges: {
    ...list(text({ maxLength: 64 }), MAX_NETWORKS, 1),
    doc: "Networks it may be used from; null for anywhere.",
  },
  endpoints: {
    ...list(text({ oneOf: FAMILIES }), FAMILIES.length, 1),
    doc: "Families of endpoints it may call; null for all.",
  },
  ...LIMITS,
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
  const expiresAt = numberOrNull(body["expires_at"]);
  const models = readModels(body);
  return defined({
    name: readName(body),
    models: models === null ? ["*"] : models,
    quota: readUsd(body["quota_usd"], "quota_usd"),
    budgets: readBudgets(body),
    expiresAt: typeof expiresAt === "number" ? expiresAt * 1_000 : expiresAt,
    networks: readTexts(body["ip_ranges"], "ip_ranges", A_NETWORK, isNetwork),
    endpoints: readFamilies(body["endpoints"]),
    limits: readLimits(body),
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
