import { z } from "zod";
import { FAMILIES, type Family } from "#core/family.ts";
import { KEY_STATUS } from "#core/key.ts";
import type { KeyChange } from "#core/user-keys.ts";
import { isNetwork } from "#lib/networks.ts";
import { defined } from "#lib/values.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { optional, shownOnly } from "../fields.ts";
import { LIMITS, readLimits } from "../limit-fields.ts";
import { MODELS, NAME, textsOf } from "../name-fields.ts";
import { USD } from "../usd.ts";

const MAX_NETWORKS = 100;
const A_NETWORK = "an IP network such as 10.0.0.0/8";
const LAST_SECOND = 253_402_300_799;

const FIELDS = {
  expires_at: z.int().min(0).max(LAST_SECOND).describe("Unix seconds; null for never.").nullish(),
  models: MODELS,
  quota_usd: USD,
  ...BUDGETS,
  ip_ranges: textsOf({
    item: z.string().max(64),
    max: MAX_NETWORKS,
    isGood: isNetwork,
    what: A_NETWORK,
    description: "IP networks from which it may be used; null for all.",
  }),
  endpoints: z
    .array(z.enum(FAMILIES))
    .min(1)
    .max(FAMILIES.length)
    .describe("Endpoint families that it may call; null for all.")
    .nullish(),
  ...LIMITS,
};

const STATUS = z.int().min(1).max(2).describe("1 enabled, 2 disabled.");

export const NEW_TOKEN = z.strictObject({ name: NAME, ...FIELDS });

export const CHANGED_TOKEN = z.strictObject({
  id: optional(z.int().min(1).max(Number.MAX_SAFE_INTEGER)),
  status: optional(STATUS),
  name: optional(NAME),
  ...FIELDS,
  ...shownOnly([
    "last4",
    "old_last4",
    "old_expires_at",
    "created_at",
    "used_usd",
    "used_day_usd",
    "used_month_usd",
    "content_log",
    "group_id",
  ]),
});

export function readTokenFields(
  body: z.output<typeof NEW_TOKEN> | Omit<z.output<typeof CHANGED_TOKEN>, "id">,
): Omit<KeyChange, "status"> {
  const { expires_at: expiresAt, models } = body;
  return defined({
    name: body.name,
    models: models === null ? ["*"] : models,
    quota: body.quota_usd,
    budgets: readBudgets(body),
    expiresAt: typeof expiresAt === "number" ? expiresAt * 1_000 : expiresAt,
    networks: body.ip_ranges,
    endpoints: readFamilies(body.endpoints),
    limits: readLimits(body),
  });
}

export function readStatus(status: number | undefined): KeyChange["status"] {
  return status === KEY_STATUS.enabled || status === KEY_STATUS.disabled ? status : undefined;
}

/** In the order of the families, each once. */
function readFamilies(
  given: readonly Family[] | null | undefined,
): readonly Family[] | null | undefined {
  return given && FAMILIES.filter((family) => given.includes(family));
}
