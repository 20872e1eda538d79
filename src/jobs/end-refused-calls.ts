import { GatewayError } from "#core/error.ts";
import type { OpenCalls } from "#relay/open-calls.ts";
import type { Job } from "./scheduler.ts";

/**
 * Ends the running calls of keys that were deleted or disabled since, here or
 * by another gateway. Asks nothing while no call runs.
 */
export function endRefusedCalls(
  open: OpenCalls,
  findRefused: (keyIds: readonly number[]) => Promise<readonly number[]>,
): Job {
  return {
    name: "end-refused-calls",
    everyMs: 1_000,
    async run() {
      const { keyIds } = open;
      if (keyIds.length === 0) return;
      for (const id of await findRefused(keyIds)) open.endAllOf(id, refused());
    },
  };
}

function refused(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "This API key was deleted or disabled while the call ran.",
  );
}
