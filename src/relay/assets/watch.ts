import type { Asset, AssetStore } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import { givenUp, later, look, type RefreshDeps } from "./refresh.ts";

export interface WatchDeps extends RefreshDeps {
  readonly assets: AssetStore;
  /** Takes in what is to be kept here. */
  takeIn(asset: Asset): Promise<void>;
  /** Lets go of what is kept here of it, whether or not it is there. */
  letGo(asset: Asset): Promise<void>;
  onTrouble(cause: unknown): void;
}

/** Longer than a link is followed, or a vendor asked. */
const LEASE_MS = 5 * 60_000;
const BATCH = 32;
const AT_ONCE = 8;
const MAX_FORGOTTEN = 100;

/** Looks at the pending assets that are due; how many those were. */
export async function watchAssets(deps: WatchDeps): Promise<number> {
  const due = await deps.assets.lease(LEASE_MS, BATCH);
  await mapAtMost(due, AT_ONCE, async (asset) => {
    try {
      await (asset.place === undefined ? deps.takeIn(asset) : look(asset, deps));
    } catch (cause) {
      // Whatever it was, it may be over the next time.
      if (GatewayError.from(cause).code === "internal") deps.onTrouble(cause);
      const now = deps.clock.now();
      await deps.assets.change(asset.id, givenUp(asset, now) ?? later(asset, now));
    }
  });
  return due.length;
}

/** Lets go of removed assets. What a store does not let go of waits for the next time. */
export async function forgetAssets({ assets, letGo, onTrouble }: WatchDeps): Promise<void> {
  for (const asset of await assets.listRemoved(MAX_FORGOTTEN)) {
    try {
      if (asset.place === undefined) await letGo(asset);
      await assets.forget(asset.id);
    } catch (cause) {
      onTrouble(cause);
    }
  }
}
