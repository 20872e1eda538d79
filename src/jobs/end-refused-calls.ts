import { GatewayError } from "#core/error.ts";
import type { Job } from "./scheduler.ts";

/** Open calls, or open connections for calls, by key. */
export interface KeyHolders {
  readonly keyIds: readonly number[];
  endAllOf(keyId: number, reason: GatewayError): void;
}

/**
 * Ends the open calls and connections of keys that were deleted or disabled,
 * here or by another gateway. Does not query the database while nothing is
 * open.
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
