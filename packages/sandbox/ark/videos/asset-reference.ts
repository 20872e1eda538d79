import { ownerIn, type Place } from "../account.ts";
import type { AssetFile, AssetType } from "../assets/asset-file.ts";
import type { AssetLibrary } from "../assets/library.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { invalidField } from "./error.ts";

/** An asset that a video may be made with, or why it may not. */
export type FindAsset = (id: string) => UsableAsset | string;

interface UsableAsset {
  readonly type: AssetType;
  readonly isVerified: boolean;
  readonly file: AssetFile | undefined;
}

/** It has to be the same account's, in the same project, and taken in. */
export function usableAsset(
  { assets }: AssetLibrary,
  id: string,
  place: Place,
): UsableAsset | string {
  const asset = assets.find(id, place);
  if (asset === undefined) return `the asset ${id} is not found in ${ownerIn(place)}`;
  const { status, file } = assets.stateOf(asset);
  if (status !== "Active") return `the asset ${id} is ${status}, not Active`;
  return { type: asset.requested.type, isVerified: asset.requested.isVerified, file };
}

/** "asset://asset-1" names one; nothing where it is another kind of address. */
export function readAssetId(address: string, path: string): string | undefined {
  if (!/^asset:/i.test(address)) return undefined;
  const id = /^asset:\/\/([\w-]+)$/i.exec(address)?.[1];
  if (id === undefined) throw invalidField(path, "expected asset:// and the id of an asset");
  return id;
}

/** What of the asset goes into a video; a refusal where it is none for that. */
export function readAsset(
  found: UsableAsset | string,
  wanted: AssetType,
  path: string,
): { readonly media: Partial<Media>; readonly isVerified: boolean } {
  if (typeof found === "string") throw invalidField(path, found);
  const { type, isVerified, file } = found;
  if (type !== wanted)
    throw invalidField(path, `expected an asset of the type ${wanted}, but it is ${type}`);
  const { widthPixels, heightPixels, seconds } = file ?? {};
  return {
    isVerified,
    media: {
      ...(widthPixels === undefined ? {} : { widthPixels }),
      ...(heightPixels === undefined ? {} : { heightPixels }),
      ...(seconds === undefined ? {} : { seconds }),
    },
  };
}
