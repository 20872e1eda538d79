import type {
  Asset,
  AssetGroup,
  AssetPage,
  AssetPlace,
  AssetQuery,
  AssetStore,
} from "#core/asset.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { LinkFollower } from "#core/media.ts";
import { randomBase62 } from "#lib/ids.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import {
  request,
  accountFor,
  firstAccount,
  requestOnce,
  type LibraryAccount,
} from "./library-client.ts";
import type { OwnFiles } from "./local-files.ts";
import { pauseAfter, refreshed, type RefreshDeps } from "./refresh.ts";

interface LibraryDeps extends RefreshDeps {
  readonly assets: AssetStore;
  readonly links: Pick<LinkFollower, "check">;
  /** The URL of a file that the gateway stores. */
  ownLinkTo(asset: Asset): string | undefined;
  readonly files: Pick<OwnFiles, "keep" | "letGo">;
  readonly limits: {
    /** Limit per user. */
    readonly assets: number;
    readonly assetGroups: number;
  };
}

type NewGroup = Pick<AssetGroup, "name" | "description"> & { readonly isOwn: boolean };
type NewAsset = Pick<Asset, "groupId" | "url" | "type" | "name">;
type NewFile = Pick<Asset, "groupId" | "type" | "name">;

const ID_CHARS = 24;
/** The pending assets of a page are refreshed concurrently. */
const AT_ONCE = 100;

/** Groups and assets for their users. Another user's objects are treated as unknown. */
export class Library {
  readonly #deps: LibraryDeps;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
  }

  async createGroup(userId: number, { name, description, isOwn }: NewGroup): Promise<AssetGroup> {
    const { assets, clock, limits } = this.#deps;
    const { groups } = await assets.stockOf(userId);
    if (groups >= limits.assetGroups) throw full(`${limits.assetGroups} groups`);
    const account = isOwn ? undefined : firstAccount(this.#deps);
    const place = account && (await this.#makeGroup(account, { name, description }));
    const now = clock.now();
    return await withFreeId("group", place?.upstreamId, async (id) => {
      const group: AssetGroup = {
        id,
        userId,
        ...(place && { place }),
        kind: "image",
        name,
        description,
        createdAt: now,
        updatedAt: now,
      };
      return (await assets.addGroup(group)) ? group : undefined;
    });
  }

  async getGroup(userId: number, id: string): Promise<AssetGroup> {
    return (await this.#deps.assets.findGroup(userId, id)) ?? unknown("Id", "group");
  }

  async renameGroup(userId: number, id: string, name: string): Promise<void> {
    const { assets, clock } = this.#deps;
    const { place } = await this.getGroup(userId, id);
    if (place !== undefined) {
      const account = accountFor(place, this.#deps);
      const { upstreamId } = place;
      await request(account, account.service.style.renameGroup, { upstreamId, name }, this.#deps);
    }
    await assets.renameGroup(userId, id, name, clock.now());
  }

  async create(userId: number, draft: NewAsset): Promise<Asset> {
    const { assets, clock, links } = this.#deps;
    links.check(draft.url, "URL");
    const group = await this.#roomIn(userId, draft.groupId);
    const place = group.place && (await this.#makeAsset(group.place, draft));
    const now = clock.now();
    return await withFreeId("asset", place?.upstreamId, async (id) => {
      const asset: Asset = {
        ...draft,
        id,
        userId,
        ...(place && { place }),
        status: "pending",
        createdAt: now,
        updatedAt: now,
        dueAt: place === undefined ? now : now + pauseAfter(0),
        looks: 0,
      };
      return (await assets.add(asset)) ? asset : undefined;
    });
  }

  /** Stores a file that its user sent, in a group of the gateway. */
  async upload(userId: number, draft: NewFile, bytes: Uint8Array): Promise<Asset> {
    const { assets, clock, files } = this.#deps;
    const group = await this.#roomIn(userId, draft.groupId);
    if (group.place !== undefined) {
      throw invalid(
        "group_id",
        "The vendor of this group takes assets by their address only. Use 'url', or a group of the gateway.",
      );
    }
    const now = clock.now();
    return await withFreeId("asset", undefined, async (id) => {
      const asset: Asset = {
        ...draft,
        id,
        userId,
        url: "",
        status: "active",
        createdAt: now,
        updatedAt: now,
        dueAt: now,
        looks: 0,
      };
      const stored = { ...asset, file: await files.keep(asset, bytes) };
      if (await assets.add(stored)) return stored;
      await files.letGo(asset);
      return undefined;
    });
  }

  async get(userId: number, id: string): Promise<Asset> {
    const known = await this.#deps.assets.find(userId, id);
    const asset = known && (await refreshed(known, this.#deps));
    return asset ?? unknown("Id", "asset");
  }

  /** Pending assets of the page are refreshed. */
  async list(query: AssetQuery): Promise<AssetPage> {
    const { assets, total } = await this.#deps.assets.list(query);
    const seen = await mapAtMost(assets, AT_ONCE, async (each) =>
      each.status === "pending" ? await refreshed(each, this.#deps) : each,
    );
    return { assets: seen.flatMap((each) => each ?? []), total };
  }

  /** A URL at which the asset can be read now. */
  linkTo(asset: Asset): string {
    const { url, link } = asset;
    const isGood = link !== undefined && link.endsAt > this.#deps.clock.now();
    return this.#deps.ownLinkTo(asset) ?? (isGood ? link.url : url);
  }

  async rename(userId: number, id: string, name: string): Promise<void> {
    const { assets, clock } = this.#deps;
    const { place } = await this.#find(userId, id);
    if (place !== undefined) {
      const account = accountFor(place, this.#deps);
      const { upstreamId } = place;
      await request(account, account.service.style.rename, { upstreamId, name }, this.#deps);
    }
    await assets.rename(userId, id, name, clock.now());
  }

  /**
   * Deletes it at the vendor first. Until that succeeds, tasks may refer to it, and the client is
   * told so.
   */
  async remove(userId: number, id: string): Promise<void> {
    const { place } = await this.#find(userId, id);
    if (place !== undefined) await this.#removeAt(place);
    await this.#deps.assets.remove(userId, id);
  }

  /** The group for a new asset. Throws if it does not exist, or the user has too many assets. */
  async #roomIn(userId: number, groupId: string): Promise<AssetGroup> {
    const { assets, limits } = this.#deps;
    const group = await assets.findGroup(userId, groupId);
    if (group === undefined) return unknown("GroupId", "group");
    const stock = await assets.stockOf(userId);
    if (stock.assets >= limits.assets) throw full(`${limits.assets} assets`);
    return group;
  }

  async #find(userId: number, id: string): Promise<Asset> {
    return (await this.#deps.assets.find(userId, id)) ?? unknown("Id", "asset");
  }

  async #removeAt(place: AssetPlace): Promise<void> {
    const account = accountFor(place, this.#deps);
    try {
      await request(account, account.service.style.remove, place.upstreamId, this.#deps);
    } catch (cause) {
      if (GatewayError.from(cause).code !== "not_found") throw cause;
    }
  }

  async #makeGroup(
    account: LibraryAccount,
    draft: Pick<AssetGroup, "name" | "description">,
  ): Promise<AssetPlace> {
    const upstreamId = await requestOnce(
      account,
      account.service.style.createGroup,
      draft,
      this.#deps,
    );
    return { channel: account.channel.name, account: account.credential.label, upstreamId };
  }

  async #makeAsset(group: AssetPlace, { url, type, name }: NewAsset): Promise<AssetPlace> {
    const account = accountFor(group, this.#deps);
    const draft = { groupId: group.upstreamId, url, type, name };
    const upstreamId = await requestOnce(account, account.service.style.create, draft, this.#deps);
    return { channel: account.channel.name, account: account.credential.label, upstreamId };
  }
}

/** Uses the vendor's id if it is free in the gateway, else a new one. */
export async function withFreeId<T>(
  kind: "group" | "asset",
  upstreamId: string | undefined,
  tryWith: (id: string) => Promise<T | undefined>,
): Promise<T> {
  const first = upstreamId === undefined ? undefined : await tryWith(upstreamId);
  const made = first ?? (await tryWith(`${kind}-${randomBase62(ID_CHARS)}`));
  if (made !== undefined) return made;
  throw new GatewayError(
    "upstream_failed",
    "The upstream returned an id that it has already used.",
  );
}

function unknown(param: string, kind: "group" | "asset"): never {
  throw invalid(param, `${param} names no ${kind} of yours`);
}

function full(what: string): GatewayError {
  return new GatewayError("invalid_request", `A user may have at most ${what}.`, {
    details: { Code: "QuotaExceeded" },
  });
}
