import type { Asset, AssetChange, AssetStore } from "#core/asset.ts";
import type { AssetUpdate } from "#core/asset-format.ts";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import { withinTime } from "#lib/within-time.ts";
import { request, accountFor, type LibraryClientDeps } from "./library-client.ts";

export interface RefreshDeps extends LibraryClientDeps {
  readonly assets: AssetStore;
  readonly clock: Clock;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
/** Vendors process an image in seconds, and a video in tens of seconds. */
const PAUSES_MS = [2, 3, 5, 8, 15, 30, 60].map((seconds) => seconds * SECOND_MS);
const LONGEST_MS = 24 * HOUR_MS;
/** A client that polls more often gets the last known state. */
const MIN_LOOK_AGE_MS = SECOND_MS;
/** Maximum time that a client's request waits for the vendor. */
const LOOK_WAIT_MS = 2_000;
/** Minimum remaining lifetime of a returned link. */
const MIN_LINK_MS = HOUR_MS;
const EXPIRED = {
  code: "ProcessingTimeout",
  message: "The asset was not processed in time.",
};
const GONE = { code: "NotFound", message: "The upstream no longer has the asset." };

export function pauseAfter(looks: number): number {
  return PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)] ?? 0;
}

/** The current state as reported by the vendor; undefined if the asset no longer exists. */
export async function refreshed(asset: Asset, deps: RefreshDeps): Promise<Asset | undefined> {
  if (asset.place === undefined || !isWorthLooking(asset, deps.clock.now())) return asset;
  const looked = look(asset, deps).then(
    (seen) => ({ seen }),
    (cause: unknown) => {
      // If the vendor cannot be reached, the stored state is returned.
      if (GatewayError.from(cause).code === "internal") throw cause;
      return { seen: asset };
    },
  );
  const found = await withinTime(looked, LOOK_WAIT_MS);
  return found === undefined ? asset : found.seen;
}

function isWorthLooking({ status, link, dueAt, looks }: Asset, now: number): boolean {
  switch (status) {
    case "pending":
      return now >= dueAt - pauseAfter(looks) + MIN_LOOK_AGE_MS;
    case "active":
      return link === undefined || link.endsAt - now < MIN_LINK_MS;
    case "failed":
      return false;
  }
}

/** Polls the vendor. Throws if it returns no state. */
export async function look(asset: Asset, deps: RefreshDeps): Promise<Asset | undefined> {
  const { assets, clock } = deps;
  const { place } = asset;
  if (place === undefined) return asset;
  const account = accountFor(place, deps);
  const { service } = account;
  let change: AssetChange;
  try {
    const update = await request(account, service.style.look, place.upstreamId, deps);
    change = assetChange(update, asset, clock.now(), service.linksLastMs);
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (error.code !== "not_found") throw error;
    if (asset.status !== "pending") {
      await assets.remove(asset.userId, asset.id);
      return undefined;
    }
    change = isYoung(asset, clock.now())
      ? later(asset, clock.now())
      : { status: "failed", failure: GONE, updatedAt: clock.now() };
  }
  return (await assets.change(asset.id, change)) ?? (await assets.find(asset.userId, asset.id));
}

function assetChange(
  update: AssetUpdate,
  asset: Asset,
  now: number,
  linksLastMs: number,
): AssetChange {
  const { status, failure, url } = update;
  const link =
    url === undefined
      ? { url: asset.url, endsAt: now + 2 * MIN_LINK_MS }
      : { url, endsAt: now + linksLastMs };
  if (asset.status !== "pending") return { link };
  if (status === "pending") return givenUp(asset, now) ?? later(asset, now);
  return {
    status,
    updatedAt: now,
    ...(status === "active" ? { link } : {}),
    ...defined({ failure: status === "failed" ? (failure ?? UNEXPLAINED) : undefined }),
  };
}

const UNEXPLAINED = { code: "ProcessingFailed", message: "The upstream gave no reason." };

/** A vendor may not find an asset immediately after creating it. */
function isYoung({ createdAt }: Asset, now: number): boolean {
  return now - createdAt < 60 * SECOND_MS;
}

export function later({ looks }: Asset, now: number): AssetChange {
  return { looks: looks + 1, dueAt: now + pauseAfter(looks + 1) };
}

export function givenUp({ createdAt }: Asset, now: number): AssetChange | undefined {
  if (now - createdAt < LONGEST_MS) return undefined;
  return { status: "failed", failure: EXPIRED, updatedAt: now };
}
