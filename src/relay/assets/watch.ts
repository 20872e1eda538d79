import type { Asset, AssetStore } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { withinTime } from "#lib/within-time.ts";
import { givenUp, later, look, type RefreshDeps } from "./refresh.ts";

export interface WatchDeps extends RefreshDeps {
  readonly assets: AssetStore;
  /** Takes in what is to be kept here; what is left in the middle is due again at once. */
  takeIn(asset: Asset, signal: AbortSignal): Promise<void>;
  /** Lets go of what is kept here of it, whether or not it is there. */
  letGo(asset: Asset): Promise<void>;
  onTrouble(cause: unknown): void;
}

const SECOND_MS = 1_000;
/** Longer than a link is followed, or a vendor asked. */
const LEASE_MS = 300 * SECOND_MS;
/** Of one user's that are kept here, or of one channel's: from then on its others wait, and nobody else's. */
const ENOUGH = 3;
/** Of all together: pictures and recordings are held while they are looked at. */
const MOST = 20;
const MAX_FORGOTTEN = 100;

/** Looks at the pending assets that are due, until none is. One link that takes its time delays nobody else's. */
export async function watchAssets(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const underWay = new Map<Asset, Promise<void>>();
  try {
    for (;;) {
      const room = signal.aborted ? 0 : Math.min(ENOUGH, MOST - underWay.size);
      const busy = busyWith([...underWay.keys()]);
      const due = room > 0 ? await deps.assets.lease(LEASE_MS, room, busy) : [];
      for (const asset of due) {
        underWay.set(
          asset,
          watch(asset, deps, signal).finally(() => underWay.delete(asset)),
        );
      }
      if (underWay.size === 0) return;
      if (due.length === 0) await withinTime(Promise.race(underWay.values()), SECOND_MS);
    }
  } finally {
    await Promise.all(underWay.values());
  }
}

function busyWith(assets: readonly Asset[]) {
  const users = assets.filter(({ place }) => place === undefined).map(({ userId }) => userId);
  const channels = assets.flatMap(({ place }) => place?.channel ?? []);
  return { users: thoseOften(users), channels: thoseOften(channels) };
}

function thoseOften<T>(all: readonly T[]): readonly T[] {
  const counts = new Map<T, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= ENOUGH).map(([each]) => each);
}

/** Never throws. */
async function watch(asset: Asset, deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const { assets, clock, onTrouble } = deps;
  try {
    await (asset.place === undefined ? deps.takeIn(asset, signal) : look(asset, deps));
  } catch (cause) {
    // Whatever it was, it may be over the next time.
    if (GatewayError.from(cause).code === "internal") onTrouble(cause);
    const now = clock.now();
    await assets.change(asset.id, givenUp(asset, now) ?? later(asset, now)).catch(onTrouble);
  }
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
