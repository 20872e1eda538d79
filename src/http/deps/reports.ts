import type { AuditLog } from "#core/audit.ts";
import type { DisplayCurrency } from "#core/display-currency.ts";
import type { CallLog } from "#core/call.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { TeamStore } from "#core/team.ts";
import type { UsageReports } from "#core/usage-report.ts";
import type { UserStore } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import type { AuthenticationDeps } from "../authenticate.ts";
import type { LiveCalls } from "../live-calls.ts";

/** Dependencies of the endpoints of the journal, the usage and the audit log. */
export interface ReportDeps {
  readonly calls: CallLog;
  readonly liveCalls: LiveCalls;
  /** Confirms the logins of running streams. */
  readonly callers: AuthenticationDeps;
  readonly usage: UsageReports;
  readonly audit: AuditLog;
  readonly users: Pick<UserStore, "find">;
  readonly teams: Pick<TeamStore, "find">;
  readonly quotas: Pick<QuotaStore, "history">;
  /** Days that sums of usage are kept. */
  readonly usageDays: number;
  /** Shown beside US dollars. */
  readonly displayCurrency: DisplayCurrency | undefined;
  readonly clock: Clock;
}
