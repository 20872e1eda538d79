import type { AuditLog } from "#core/audit.ts";
import type { Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import type { Job } from "./scheduler.ts";

/** Refusals that were counted instead of written one by one. */
interface CountedRefusals {
  readonly counts: readonly (readonly [address: string, count: number])[];
  forget(address: string, count: number): void;
}

/** Writes the number of refusals that are not in the audit log, one row per address. */
export function noteRefusals(
  refusals: CountedRefusals,
  audit: Pick<AuditLog, "write">,
  clock: Clock,
): Job {
  return {
    name: "note-refusals",
    everyMs: 60_000,
    async run() {
      for (const [address, count] of refusals.counts) {
        const at = clock.now();
        await audit.write({
          at,
          actorId: null,
          actor: null,
          role: null,
          proof: "none",
          address,
          userAgent: null,
          requestId: ulid(at),
          action: "(more refusals)",
          object: {},
          details: { count },
          outcome: "refused",
          status: null,
        });
        refusals.forget(address, count);
      }
    },
  };
}
