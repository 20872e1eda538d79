import { z } from "zod";
import { ASSET_STATUSES, ASSET_TYPES, type Asset } from "#core/asset.ts";
import type { UserStore } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import { pageSize, wholeNumber } from "../query-fields.ts";
import { seconds } from "../seconds.ts";

/** Pages by number: lists of a library have a bound. */
export const PAGES = {
  p: wholeNumber(1, 10_000, "Number of the page."),
  page_size: pageSize(50, 100),
};

interface Paged {
  readonly p: number;
  readonly page_size: number;
}

export function skippedOf({ p, page_size: limit }: Paged): number {
  return (p - 1) * limit;
}

export const ASSET_FIELDS = {
  id: z.string(),
  group_id: z.string(),
  type: z.enum(ASSET_TYPES),
  name: z.string(),
  state: z.enum(ASSET_STATUSES),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  channel: z.string().nullable().describe("Null for a file that the gateway stores."),
  media_type: z.string().nullable(),
  size_bytes: z.number().nullable().describe("Of a file that the gateway stores."),
  created_at: z.int(),
  updated_at: z.int(),
};

export const OWN_ASSET = z
  .object({
    ...ASSET_FIELDS,
    url: z.string().nullable().describe("The source; null for an uploaded file."),
    link: z.string().nullable().describe("Where the asset can be read now."),
  })
  .meta({ id: "OwnAsset" });

export function showAsset(asset: Asset): JsonObject {
  const { failure, file, place } = asset;
  return {
    id: asset.id,
    group_id: asset.groupId,
    type: asset.type,
    name: asset.name,
    state: asset.status,
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
    channel: place?.channel ?? null,
    media_type: file?.mediaType ?? null,
    size_bytes: file?.sizeBytes ?? null,
    created_at: seconds(asset.createdAt),
    updated_at: seconds(asset.updatedAt),
  };
}

/** The own path of a stored file: it works without a public URL, too. */
export function showOwnAsset(
  asset: Asset,
  { library, assetLinks }: Pick<AssetListDeps, "library" | "assetLinks">,
): JsonObject {
  const link = assetLinks.pathTo(asset) ?? library.linkTo(asset);
  return { ...showAsset(asset), url: asset.url || null, link: link || null };
}

/** Names of users by id; deleted users have none. */
export async function userNames(
  ids: readonly number[],
  users: Pick<UserStore, "findAll">,
): Promise<ReadonlyMap<number, string>> {
  const found = await users.findAll({ ids: [...new Set(ids)], names: [] });
  return new Map(found.map(({ id, name }) => [id, name]));
}
