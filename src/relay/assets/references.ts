import type { Asset, AssetStore } from "#core/asset.ts";
import { invalid } from "#core/error.ts";
import type { MediaOrigin, VideoMedia, VideoRequest } from "#core/video.ts";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { findAccount } from "./library-client.ts";
import { refreshed, type RefreshDeps } from "./refresh.ts";

export interface ReferenceDeps extends RefreshDeps {
  readonly assets: AssetStore;
  /** An asset stored by the gateway, as input for a vendor. */
  originOf(asset: Asset): Promise<MediaOrigin>;
}

/** The only channel and account that can run a task, because its inputs are stored there. */
export interface Home {
  readonly channel: string;
  readonly account: string;
}

interface Resolved {
  readonly question: VideoRequest;
  readonly home?: Home;
}

const REFERENCE = /^\s*asset:\/\//i;
/** The deepest body that a gateway can be set to accept; what is deeper counts as a reference. */
const MAX_DEPTH = 512;

/**
 * Replaces asset references in a request by the vendor's ids or inline media, and returns the
 * account that they require. Throws `invalid_request` for an asset of another user, an inactive
 * asset, another kind, and assets of different accounts.
 */
export async function resolveAssets(
  question: VideoRequest,
  userId: number,
  home: Home | undefined,
  deps: ReferenceDeps,
): Promise<Resolved> {
  if (holdsReference(question.extra, 0)) {
    throw invalid("asset", "asset references are allowed only in media fields");
  }
  const found = new Map<string, Asset>();
  for (const medium of question.media) {
    const id = referenceIn(medium);
    if (id === undefined) continue;
    const asset = found.get(id) ?? (await findActive(id, userId, deps));
    if (asset.type !== medium.type) {
      throw invalid("asset", `asset ${id} is not available as ${medium.type}: it is ${asset.type}`);
    }
    found.set(id, asset);
  }
  if (found.size === 0) return { question, ...(home && { home }) };
  const place = locationOf([...found.values()], home, deps);
  const media: VideoMedia[] = [];
  for (const medium of question.media) {
    const asset = found.get(referenceIn(medium) ?? "");
    media.push(asset === undefined ? medium : { ...medium, source: await sourceOf(asset, deps) });
  }
  return { question: { ...question, media }, ...(place && { home: place }) };
}

/** In any notation, so that no reference is sent to a vendor unchecked. */
function referenceIn({ source }: VideoMedia): string | undefined {
  switch (source.kind) {
    case "asset":
      return source.id;
    case "url":
      return REFERENCE.test(source.url) ? source.url.replace(REFERENCE, "") : undefined;
    case "reference":
      return REFERENCE.test(source.id) ? source.id.replace(REFERENCE, "") : undefined;
    case "base64":
    case "bytes":
      return undefined;
  }
}

async function findActive(id: string, userId: number, deps: ReferenceDeps): Promise<Asset> {
  const known = await deps.assets.find(userId, id);
  const asset = known && (await refreshed(known, deps));
  if (asset === undefined) throw invalid("asset", `asset ${shown(id)} is not available`);
  if (asset.status !== "active") throw invalid("asset", `asset ${id} is not active`);
  return asset;
}

/** All vendor-stored assets must share one account; gateway-stored ones can be sent to any. */
function locationOf(
  assets: readonly Asset[],
  home: Home | undefined,
  deps: ReferenceDeps,
): Home | undefined {
  let bound = home;
  for (const { id, place } of assets) {
    if (place === undefined) continue;
    const account = findAccount(place, deps);
    if (account === undefined) throw invalid("asset", `asset ${id} is not available`);
    const here = { channel: account.channel.name, account: account.credential.label };
    const isSame =
      bound === undefined ||
      (bound.channel === here.channel && (bound.account === "" || bound.account === here.account));
    if (!isSame) throw otherPlace();
    bound = here;
  }
  return bound;
}

/** Also for a model that the account does not have. */
export function otherPlace(): Error {
  return invalid("asset", "asset references must use the same channel");
}

async function sourceOf(asset: Asset, deps: ReferenceDeps): Promise<MediaOrigin> {
  const { place } = asset;
  return place === undefined ? await deps.originOf(asset) : { kind: "asset", id: place.upstreamId };
}

function holdsReference(value: Json | undefined, depth: number): boolean {
  if (typeof value === "string") return REFERENCE.test(value);
  if (depth > MAX_DEPTH) return true;
  if (isArray(value)) return value.some((each) => holdsReference(each, depth + 1));
  if (!isObject(value)) return false;
  return Object.values(value).some((each) => holdsReference(each, depth + 1));
}

function shown(id: string): string {
  return id.length > 128 ? `${id.slice(0, 128)}...` : id;
}
