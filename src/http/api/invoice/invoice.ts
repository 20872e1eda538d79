import { GatewayError, invalid } from "#core/error.ts";
import type { DisplayCurrency } from "#core/display-currency.ts";
import { addMonths } from "#core/previous-period.ts";
import type { GrantRecord, QuotaOwner } from "#core/quota.ts";
import type { UsageGroup, UsageNames, UsageSum } from "#core/usage-report.ts";
import { defined } from "#lib/values.ts";
import type { ReportDeps } from "#http/deps/reports.ts";

/** The person or the team that is charged. */
export interface InvoiceOwner {
  readonly kind: "user" | "team";
  readonly id: number;
}

/** A statement of the calls that were admitted in one month. */
export interface Invoice {
  readonly owner: InvoiceOwner;
  /** Null if it was deleted. */
  readonly name: string | null;
  readonly email?: string;
  /** `2026-11`, in UTC. */
  readonly month: string;
  readonly from: number;
  readonly to: number;
  readonly issuedAt: number;
  /** No call of the month can change its sums any more. */
  readonly isFinal: boolean;
  readonly openCalls: number;
  /** By key and model, or by member and model; the most expensive first. */
  readonly lines: readonly UsageGroup[];
  readonly others?: UsageSum;
  readonly total: UsageSum;
  readonly names: UsageNames;
  /** Changes of the total quota in that month, oldest first. */
  readonly quotaChanges: readonly GrantRecord[];
  /** Shown beside US dollars. */
  readonly display?: DisplayCurrency;
}

export type InvoiceDeps = Pick<
  ReportDeps,
  "usage" | "users" | "teams" | "quotas" | "usageDays" | "displayCurrency" | "clock"
>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_LINES = 1_000;
/** A complete answer has no reservation on disk, and takes less than this. */
const SETTLING_MS = HOUR_MS;

/**
 * The sums are those of the usage report, which are exact sums of charged calls: a call's cost in
 * the journal and its charge in the ledger are written in one transaction.
 */
export async function readInvoice(
  owner: InvoiceOwner,
  month: string | undefined,
  deps: InvoiceDeps,
): Promise<Invoice> {
  const now = deps.clock.now();
  const { from, to } = spanOf(month, now, deps.usageDays);
  const { kind, id } = owner;
  const account: QuotaOwner = `${kind}:${id}`;
  const openCalls = await deps.usage.countOpen(account, to);
  const report = await deps.usage.report({
    from,
    to,
    by: [kind === "team" ? "user" : "key", "model"],
    limit: MAX_LINES,
    ...(kind === "team" ? { teamId: id } : { userId: id }),
  });
  const named = await ownerOf(owner, deps);
  if (named === undefined && report.total.calls === 0)
    throw new GatewayError("not_found", `There is no ${kind} with this id.`);
  return {
    owner,
    ...(named ?? { name: null }),
    month: new Date(from).toISOString().slice(0, 7),
    from,
    to,
    issuedAt: now,
    isFinal: now >= to + SETTLING_MS && openCalls === 0 && report.isComplete,
    openCalls,
    lines: report.groups.toSorted((a, b) => b.sum.cost - a.sum.cost || b.sum.calls - a.sum.calls),
    ...defined({ others: report.others, display: deps.displayCurrency }),
    total: report.total,
    names: await deps.usage.namesOf(report.groups),
    quotaChanges: await quotaChanges(account, { from, to }, deps),
  };
}

function spanOf(month: string | undefined, now: number, usageDays: number) {
  const from = month === undefined ? addMonths(now, 0) : Date.parse(`${month}-01T00:00Z`);
  if (from > now) throw invalid("month", "'month' must have begun.");
  if (from < now - usageDays * DAY_MS) {
    throw invalid("month", `'month' is too long ago: usage is kept for ${usageDays} days.`);
  }
  return { from, to: addMonths(from, 1) };
}

async function ownerOf(
  { kind, id }: InvoiceOwner,
  { users, teams }: InvoiceDeps,
): Promise<Pick<Invoice, "name" | "email"> | undefined> {
  if (kind === "team") {
    const team = await teams.find(id);
    return team && { name: team.name };
  }
  const user = await users.find(id);
  return user && { name: user.displayName || user.name, ...defined({ email: user.email }) };
}

const PAGE = 100;
const MAX_PAGES = 100;

async function quotaChanges(
  account: QuotaOwner,
  { from, to }: { readonly from: number; readonly to: number },
  { quotas }: InvoiceDeps,
): Promise<readonly GrantRecord[]> {
  const found: GrantRecord[] = [];
  let before: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await quotas.history(account, { limit: PAGE, ...defined({ before }) });
    found.push(...page.filter(({ at }) => at >= from && at < to));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || last.at < from) break;
    before = last.id;
  }
  return found.toReversed();
}
