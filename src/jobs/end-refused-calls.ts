import { GatewayError } from "#core/error.ts";
import type { Job } from "./scheduler.ts";

/** What is open for keys: calls, and connections on which calls are made. */
export interface KeyHolders {
  readonly keyIds: readonly number[];
  endAllOf(keyId: number, reason: GatewayError): void;
}

/**
 * Ends what is open for keys that were deleted or disabled since, here or by
 * another gateway. Asks nothing while nothing is open.
 */
export function endRefusedCalls(
  holders: readonly KeyHolders[],
  findRefused: (keyIds: readonly number[]) => Promise<readonly number[]>,
): Job {
  return {
    name: "end-refused-calls",
    everyMs: 1_000,
    async run() {
      const keyIds = [...new Set(holders.flatMap(({ keyIds: ids }) => ids))];
      if (keyIds.length === 0) return;
      for (const id of await findRefused(keyIds)) {
        for (const each of holders) each.endAllOf(id, refused());
      }
    },
  };
}

function refused(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "This API key was deleted or disabled while the call ran.",
  );
}
