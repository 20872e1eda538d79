import type { AuditLog } from "#core/audit.ts";
import type { CallLog } from "#core/call.ts";
import type { UsageReports } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";

/** Dependencies of the endpoints of the journal, the usage and the audit log. */
export interface ReportDeps {
  readonly calls: CallLog;
  readonly usage: UsageReports;
  readonly audit: AuditLog;
  readonly clock: Clock;
}
