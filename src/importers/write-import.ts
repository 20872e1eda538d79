import type {
  HeldSecret,
  ImportDocument,
  ImportedBudget,
  ImportedFunds,
  ImportedKey,
} from "#core/import.ts";
import { writeUsd, type NanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** The body of the routes that plan and apply an import. */
export function writeImport(document: ImportDocument): JsonObject {
  return {
    source: document.source,
    channels: document.channels.map((each) => ({
      ...itemOf(each),
      is_enabled: each.isEnabled,
      fields: each.fields,
    })),
    models: document.models.map((each) => ({ ...itemOf(each), fields: each.fields })),
    groups: document.groups.map((each) => ({
      ...itemOf(each),
      fields: each.fields,
      ...(each.channels === undefined ? {} : { channels: [...each.channels] }),
    })),
    teams: document.teams.map((each) => ({ ...itemOf(each), ...fundsOf(each) })),
    users: document.users.map((each) => ({
      ...itemOf(each),
      ...fundsOf(each),
      role: each.role,
      is_enabled: each.isEnabled,
      ...defined({
        display_name: each.displayName,
        email: each.email,
        is_service: each.isService,
        is_team_owner: each.isTeamOwner,
        group: each.group,
        team: each.team,
      }),
    })),
    members: document.members.map((each) => ({
      ...itemOf(each),
      team: each.team,
      user: each.user,
      budgets: each.budgets.map(budgetOf),
    })),
    keys: document.keys.map(keyOf),
    left: document.left.map(({ subject, why }) => ({ subject: cut(subject), why: cut(why) })),
  };
}

/** Bounds of the route, so that one odd object does not refuse the whole import. */
const MAX_TEXT = 2_000;
const MAX_CHANGES = 100;
const MAX_LIMIT = 1_000_000_000;
const LAST_SECOND = 253_402_300_799;

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 3)}...`;
}

function bounded(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.min(limit, MAX_LIMIT);
}

/** Undefined for a time after the year 9999. */
function secondsOf(ms: number | undefined): number | undefined {
  const seconds = ms === undefined ? Infinity : Math.max(Math.floor(ms / 1_000), 0);
  return seconds <= LAST_SECOND ? seconds : undefined;
}

function keyOf(each: ImportedKey): JsonObject {
  const { limits = {} } = each;
  return {
    ...itemOf(each),
    ...fundsOf(each),
    ...secretOf(each.secret),
    user: each.user,
    is_enabled: each.isEnabled,
    models: [...each.models],
    ...defined({
      team: each.team,
      group: each.group,
      expires_at: secondsOf(each.expiresAt),
      ip_ranges: each.networks && [...each.networks],
      endpoints: each.endpoints && [...each.endpoints],
      rpm: bounded(limits.requestsPerMinute),
      tpm: bounded(limits.tokensPerMinute),
      concurrency: bounded(limits.concurrency),
    }),
  };
}

function secretOf(secret: HeldSecret): JsonObject {
  if ("sha256" in secret) return { secret_sha256: secret.sha256, last4: secret.last4 };
  const { text, isPrefixOptional } = secret;
  return { secret: text, ...(isPrefixOptional === true ? { is_prefix_optional: true } : {}) };
}

function itemOf({
  ref,
  name,
  changes,
}: {
  readonly ref: string;
  readonly name: string;
  readonly changes: readonly string[];
}): JsonObject {
  return {
    ref,
    name,
    ...(changes.length === 0 ? {} : { changes: changes.slice(0, MAX_CHANGES).map(cut) }),
  };
}

function fundsOf({ quota, spent, budgets }: ImportedFunds): JsonObject {
  return {
    ...defined({ quota_usd: usd(quota), spent_usd: usd(spent) }),
    ...(budgets.length === 0 ? {} : { budgets: budgets.map(budgetOf) }),
  };
}

function budgetOf({ period, amount, warn, spent }: ImportedBudget): JsonObject {
  return {
    period,
    ...defined({ amount_usd: usd(amount), warn_usd: usd(warn), spent_usd: usd(spent) }),
  };
}

function usd(amount: NanoUsd | undefined): string | undefined {
  return amount === undefined ? undefined : writeUsd(amount);
}
