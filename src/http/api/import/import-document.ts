import { z } from "zod";
import { FAMILIES } from "#core/family.ts";
import type {
  HeldSecret,
  ImportDocument,
  ImportedBudget,
  ImportedFunds,
  ImportedKey,
} from "#core/import.ts";
import { MODEL_PATTERN, PERIODS } from "#core/key.ts";
import type { RateLimits } from "#core/limits.ts";
import { isEmail, USER_NAME } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { isNetwork } from "#lib/networks.ts";
import { defined } from "#lib/values.ts";
import { unread } from "#http/schema.ts";
import { optional } from "../fields.ts";
import { LIMITS } from "../limit-fields.ts";
import { NAME } from "../name-fields.ts";
import { USD } from "../usd.ts";

const MAX_OBJECTS = 50_000;
const MAX_NOTES = 100;
const LAST_SECOND = 253_402_300_799;

const REF = z.string().min(1).max(300);
const TEXT = z.string().min(1).max(2_000);

const ITEM = {
  ref: REF.describe("The id at the other gateway."),
  name: z.string().min(1).max(512),
  changes: optional(
    z.array(TEXT).max(MAX_NOTES).describe("What is not the same here, as sentences."),
  ),
};

const FIELDS = unread<JsonObject>(() => ({
  type: "object",
  writeOnly: true,
  description: "In the words of documents.",
}));

const BUDGET = z.strictObject({
  period: z.enum(PERIODS),
  amount_usd: USD,
  warn_usd: USD,
  spent_usd: USD.describe("Spent in the current period."),
});

const FUNDS = {
  quota_usd: USD.describe("The total amount, with what was spent; null for no limit."),
  spent_usd: USD,
  budgets: optional(z.array(BUDGET).max(PERIODS.length)),
};

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);

const KEY = z.strictObject({
  ...ITEM,
  name: NAME,
  user: REF,
  team: optional(REF),
  group: optional(REF),
  secret: optional(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,512}$/)
      .meta({ writeOnly: true, description: "The secret that clients hold." }),
  ),
  is_prefix_optional: optional(z.boolean()).describe("Clients may leave out `sk-`."),
  secret_sha256: optional(
    SHA256.meta({ writeOnly: true, description: "Its digest, if only that is known." }),
  ),
  last4: optional(z.string().max(4)),
  is_enabled: z.boolean(),
  expires_at: optional(z.int().min(0).max(LAST_SECOND)).describe("Unix seconds."),
  models: z.array(z.string().regex(MODEL_PATTERN)).min(1).max(1_000),
  ip_ranges: optional(
    z.array(z.string().max(64).refine(isNetwork, { error: "is not an IP network" })).min(1),
  ),
  endpoints: optional(z.array(z.enum(FAMILIES)).min(1)),
  ...LIMITS,
  ...FUNDS,
});

const USER = z.strictObject({
  ...ITEM,
  name: z.string().regex(USER_NAME),
  display_name: optional(NAME),
  email: optional(z.string().refine(isEmail, { error: "is not an e-mail address" })),
  role: z.enum(["user", "auditor", "admin"]),
  is_enabled: z.boolean(),
  is_service: optional(z.boolean()),
  is_team_owner: optional(z.boolean()),
  group: optional(REF),
  team: optional(REF),
  ...FUNDS,
});

const CHANNEL = z.strictObject({ ...ITEM, is_enabled: z.boolean(), fields: FIELDS });
const GROUP = z.strictObject({
  ...ITEM,
  name: NAME,
  channels: optional(z.array(REF).max(MAX_OBJECTS)),
  fields: FIELDS,
});
const MEMBER = z.strictObject({
  ...ITEM,
  team: REF,
  user: REF,
  budgets: optional(z.array(BUDGET).max(PERIODS.length)),
});

export const IMPORT = z.strictObject({
  source: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/)
    .describe("The name of the import. A repeated import has the same."),
  channels: optional(z.array(CHANNEL).max(MAX_OBJECTS)),
  models: optional(z.array(z.strictObject({ ...ITEM, fields: FIELDS })).max(MAX_OBJECTS)),
  groups: optional(z.array(GROUP).max(MAX_OBJECTS)),
  teams: optional(z.array(z.strictObject({ ...ITEM, name: NAME, ...FUNDS })).max(MAX_OBJECTS)),
  users: optional(z.array(USER).max(MAX_OBJECTS)),
  members: optional(z.array(MEMBER).max(MAX_OBJECTS)),
  keys: optional(z.array(KEY).max(MAX_OBJECTS)),
  left: optional(
    z
      .array(z.strictObject({ subject: TEXT, why: TEXT }))
      .max(MAX_OBJECTS)
      .describe("What has no place here, with the reason."),
  ),
});

export function readImport(body: z.output<typeof IMPORT>): ImportDocument {
  const { channels = [], models = [], groups = [], teams = [], users = [], members = [] } = body;
  return {
    source: body.source,
    channels: channels.map(({ is_enabled: isEnabled, ...each }) => ({
      ...itemOf(each),
      isEnabled,
      fields: each.fields,
    })),
    models: models.map((each) => ({ ...itemOf(each), fields: each.fields })),
    groups: groups.map((each) => ({
      ...itemOf(each),
      fields: each.fields,
      channels: each.channels,
    })),
    teams: teams.map((each) => ({ ...itemOf(each), ...fundsOf(each) })),
    users: users.map((each) => ({
      ...itemOf(each),
      ...fundsOf(each),
      displayName: each.display_name,
      email: each.email?.toLowerCase(),
      role: each.role,
      isEnabled: each.is_enabled,
      isService: each.is_service === true ? true : undefined,
      isTeamOwner: each.is_team_owner === true ? true : undefined,
      group: each.group,
      team: each.team,
    })),
    members: members.map((each) => ({
      ...itemOf(each),
      team: each.team,
      user: each.user,
      budgets: budgetsOf(each.budgets),
    })),
    keys: (body.keys ?? []).flatMap(readKey),
    left: body.left ?? [],
  };
}

/** A key without a secret cannot be checked, so it is not taken. */
function readKey(each: z.output<typeof KEY>): readonly ImportedKey[] {
  const secret = secretOf(each);
  if (secret === undefined) return [];
  return [
    {
      ...itemOf(each),
      ...fundsOf(each),
      user: each.user,
      team: each.team,
      group: each.group,
      secret,
      isEnabled: each.is_enabled,
      expiresAt: each.expires_at === undefined ? undefined : each.expires_at * 1_000,
      models: each.models,
      networks: each.ip_ranges,
      endpoints: each.endpoints && FAMILIES.filter((family) => each.endpoints?.includes(family)),
      limits: limitsOf(each),
    },
  ];
}

function limitsOf({ rpm, tpm, concurrency }: z.output<typeof KEY>): RateLimits | undefined {
  const limits = defined({
    requestsPerMinute: rpm ?? undefined,
    tokensPerMinute: tpm ?? undefined,
    concurrency: concurrency ?? undefined,
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function secretOf({
  secret: text,
  secret_sha256: sha256,
  last4 = "",
  is_prefix_optional: isPrefixOptional,
}: z.output<typeof KEY>): HeldSecret | undefined {
  if (text !== undefined) {
    return { text, ...(isPrefixOptional === true ? { isPrefixOptional } : {}) };
  }
  return sha256 === undefined ? undefined : { sha256, last4 };
}

function itemOf({
  ref,
  name,
  changes = [],
}: {
  readonly ref: string;
  readonly name: string;
  readonly changes?: readonly string[] | undefined;
}) {
  return { ref, name, changes };
}

function fundsOf(given: {
  readonly quota_usd?: z.output<typeof USD>;
  readonly spent_usd?: z.output<typeof USD>;
  readonly budgets?: readonly z.output<typeof BUDGET>[] | undefined;
}): ImportedFunds {
  return {
    ...defined({ quota: given.quota_usd ?? undefined, spent: given.spent_usd ?? undefined }),
    budgets: budgetsOf(given.budgets),
  };
}

function budgetsOf(
  given: readonly z.output<typeof BUDGET>[] | undefined = [],
): readonly ImportedBudget[] {
  return given.map(({ period, amount_usd: amount, warn_usd: warn, spent_usd: spent }) => ({
    period,
    ...defined({
      amount: amount ?? undefined,
      warn: warn ?? undefined,
      spent: spent ?? undefined,
    }),
  }));
}
