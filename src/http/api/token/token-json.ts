import { z } from "zod";
import { CONTENT_LEVELS } from "#core/content-log.ts";
import { FAMILIES } from "#core/family.ts";
import { KEY_STATUS, type KeyStatus } from "#core/key.ts";
import type { ListedKey } from "#core/user-keys.ts";
import type { JsonObject } from "#lib/json.ts";
import { SHOWN_BUDGETS, showBudgets } from "../budget-fields.ts";
import { showLimits, SHOWN_LIMITS } from "../limit-fields.ts";
import { showSpend, SPEND } from "../quota/show-funds.ts";
import { showUsd } from "../usd.ts";
import { seconds } from "../seconds.ts";

const FIELDS = {
  id: z.int(),
  name: z.string(),
  status: z.int().describe("1 enabled, 2 disabled, 3 expired, 4 exhausted."),
  last4: z.string(),
  old_last4: z.string().nullable().describe("Of the key before the last rotation, while it works."),
  old_expires_at: z.int().nullable(),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  models: z.array(z.string()),
  quota_usd: z.number().nullable(),
  used_usd: z.number().describe("Charged to its quota; without a quota, by all its calls."),
  ...SHOWN_BUDGETS,
  ...SPEND,
  ip_ranges: z.array(z.string()).nullable(),
  endpoints: z.array(z.enum(FAMILIES)).nullable(),
  content_log: z
    .enum(CONTENT_LEVELS)
    .nullable()
    .describe("Its own level of the content log, which an admin sets."),
  group_id: z
    .int()
    .nullable()
    .describe("The group of its calls, if it is not that of its user: keys of new-api have one."),
  ...SHOWN_LIMITS,
};

export const TOKEN = z.object(FIELDS).meta({ id: "Token" });

export const NEW_TOKEN_SHOWN = z.object({
  ...FIELDS,
  key: z.string().describe("The key itself, which is not shown again."),
});

/** A key as its owner sees it; the specification calls it an access token. [Part A 2.1] */
export function showToken(listed: ListedKey, now: number): JsonObject {
  const { key, last4, quota, spent, used = spent, createdAt } = listed;
  const old = listed.old !== undefined && listed.old.endsAt > now ? listed.old : undefined;
  return {
    id: key.id,
    name: key.name,
    status: statusOf(listed, now),
    last4,
    old_last4: old?.last4 ?? null,
    old_expires_at: old === undefined ? null : seconds(old.endsAt),
    created_at: seconds(createdAt),
    expires_at: key.expiresAt === undefined ? null : seconds(key.expiresAt),
    models: key.models,
    quota_usd: quota === null ? null : showUsd(quota),
    used_usd: showUsd(used),
    ...showBudgets(listed.budgets, now),
    ...showSpend(listed.spend),
    ip_ranges: key.networks ?? null,
    endpoints: key.endpoints ?? null,
    content_log: key.contentLog ?? null,
    group_id: listed.groupId ?? null,
    ...showLimits(key.limits),
  };
}

/** Whether it is expired or exhausted is not kept anywhere: it follows from the rest. */
function statusOf({ key, quota, spent }: ListedKey, now: number): KeyStatus {
  if (key.status !== KEY_STATUS.enabled) return key.status;
  if (key.expiresAt !== undefined && key.expiresAt <= now) return KEY_STATUS.expired;
  return quota !== null && spent >= quota ? KEY_STATUS.exhausted : KEY_STATUS.enabled;
}
