import type { AuditAnchor, AuditLog } from "#core/audit.ts";
import type { Job } from "./scheduler.ts";

/** Says once a day how far the audit log goes, outside of the database: whoever cuts it cannot cut that. */
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
