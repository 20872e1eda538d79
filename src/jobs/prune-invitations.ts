import type { InvitationStore } from "#core/invitation.ts";
import type { RedemptionCodes } from "#core/redemption-code.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

/** After their end, so that lists still show them for a while. */
const KEPT_MS = 90 * 86_400_000;
const BATCH = 500;

/** Deletes invitations that ended long ago. */
export function pruneInvitations(invitations: Pick<InvitationStore, "prune">, clock: Clock): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await invitations.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-invitations", clock, () => KEPT_MS, prune);
}

/** Deletes unused codes of batches that ended long ago. */
export function pruneCodes(codes: Pick<RedemptionCodes, "prune">, clock: Clock): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await codes.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-codes", clock, () => KEPT_MS, prune);
}
