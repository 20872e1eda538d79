import type { Inventory } from "#relay/inventory.ts";
import type { Job } from "./scheduler.ts";

/** Takes up what another gateway on the same database changed. */
export function refreshRouting(inventory: Pick<Inventory, "refresh">): Job {
  return {
    name: "refresh-routing",
    everyMs: 1_000,
    run: () => inventory.refresh(),
  };
}
