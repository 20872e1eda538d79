import type { AuditAnchor, AuditLog } from "#core/audit.ts";
import type { Job } from "./scheduler.ts";

/**
 * Logs the head of the audit log once a day, outside the database: truncating
 * the audit log cannot remove it there.
 */
export function logAuditHead(
  audit: Pick<AuditLog, "head">,
  report: (head: AuditAnchor) => void,
): Job {
  return {
    name: "log-audit-head",
    everyMs: 86_400_000,
    async run() {
      const head = await audit.head();
      if (head !== undefined) report(head);
    },
  };
}
