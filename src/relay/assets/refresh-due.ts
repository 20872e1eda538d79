import type { Asset, AssetStore, Busy } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { repeatedValues, processDue, type Work } from "#lib/process-due.ts";
import { givenUp, later, look, type RefreshDeps } from "./refresh.ts";

export interface WatchDeps extends RefreshDeps {
  readonly assets: AssetStore;
  /** Takes in what is to be kept here; what is left in the middle is due again at once. */
  takeIn(asset: Asset, signal: AbortSignal): Promise<void>;
  /** Lets go of what is kept here of it, whether or not it is there. */
  letGo(asset: Asset): Promise<void>;
  onError(cause: unknown): void;
}

const SECOND_MS = 1_000;
/** Longer than a link is followed, or a vendor asked. */
const LEASE_MS = 300 * SECOND_MS;
/** Of one user's that are kept here, or of one channel's: from then on its others wait, and nobody else's. */
const PER_USER_LIMIT = 3;
/** Of all together: pictures and recordings are held while they are looked at. */
const MAX_CONCURRENT = 20;
const MAX_FORGOTTEN = 100;

/** Looks at the pending assets that are due, until none is. One link that takes its time delays nobody else's. */
export function watchAssets(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const work: Work<Asset> = {
    lease: (room, underWay) => deps.assets.lease(LEASE_MS, room, busyWith(underWay)),
    act: (asset) => watch(asset, deps, signal),
    batch: PER_USER_LIMIT,
    most: MAX_CONCURRENT,
  };
  return processDue(work, signal);
}

function busyWith(assets: readonly Asset[]): Busy {
  const users = assets.filter(({ place }) => place === undefined).map(({ userId }) => userId);
  const channels = assets.flatMap(({ place }) => place?.channel ?? []);
  return {
    users: repeatedValues(users, PER_USER_LIMIT),
    channels: repeatedValues(channels, PER_USER_LIMIT),
  };
}

/** Never throws. */
async function watch(asset: Asset, deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const { assets, clock, onError } = deps;
  try {
    await (asset.place === undefined ? deps.takeIn(asset, signal) : look(asset, deps));
  } catch (cause) {
    // Whatever it was, it may be over the next time.
    if (GatewayError.from(cause).code === "internal") onError(cause);
    const now = clock.now();
    await assets.change(asset.id, givenUp(asset, now) ?? later(asset, now)).catch(onError);
  }
}

/** Lets go of removed assets. What a store does not let go of waits for the next time. */
export async function forgetAssets({ assets, letGo, onError }: WatchDeps): Promise<void> {
  for (const asset of await assets.listRemoved(MAX_FORGOTTEN)) {
    try {
      if (asset.place === undefined) await letGo(asset);
      await assets.forget(asset.id);
    } catch (cause) {
      onError(cause);
    }
  }
}
