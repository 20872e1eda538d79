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
    left: document.left.map(({ subject, why }) => ({ subject, why })),
  };
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
      expires_at: each.expiresAt === undefined ? undefined : Math.floor(each.expiresAt / 1_000),
      ip_ranges: each.networks && [...each.networks],
      endpoints: each.endpoints && [...each.endpoints],
      rpm: limits.requestsPerMinute,
      tpm: limits.tokensPerMinute,
      concurrency: limits.concurrency,
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
  return { ref, name, ...(changes.length === 0 ? {} : { changes: [...changes] }) };
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
