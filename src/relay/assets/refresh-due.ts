import type { Asset, AssetStore, Busy } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { repeatedValues, processDue, type Work } from "#lib/process-due.ts";
import { givenUp, later, look, type RefreshDeps } from "./refresh.ts";

export interface WatchDeps extends RefreshDeps {
  readonly assets: AssetStore;
  /** Downloads and stores an asset. An interrupted one is due again at once. */
  takeIn(asset: Asset, signal: AbortSignal): Promise<void>;
  /** Deletes the gateway's stored file, if it exists. */
  letGo(asset: Asset): Promise<void>;
  onError(cause: unknown): void;
}

const SECOND_MS = 1_000;
/** Longer than a download or a vendor request takes. */
const LEASE_MS = 300 * SECOND_MS;
/**
 * Limit per user for downloads and per channel for vendor polls: their further assets wait, without
 * delay for others.
 */
const PER_USER_LIMIT = 3;
/** Limit in total: images and audio are held in memory while they are checked. */
const MAX_CONCURRENT = 20;
const MAX_FORGOTTEN = 100;

/**
 * Processes pending assets that are due, until none remains. A slow download delays no other asset.
 */
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
    // Other failures may be temporary, so the asset is retried.
    if (GatewayError.from(cause).code === "internal") onError(cause);
    const now = clock.now();
    await assets.change(asset.id, givenUp(asset, now) ?? later(asset, now)).catch(onError);
  }
}

/** Deletes the files of removed assets. A failed deletion is retried the next time. */
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
