import type { VendorOptions } from "@sluice/sandbox/vendor.ts";
import { assetTable, type AssetTable } from "./asset-table.ts";
import { groupTable, type GroupTable } from "./group-table.ts";

/** All groups and assets of all accounts. */
export interface AssetLibrary {
  readonly groups: GroupTable;
  readonly assets: AssetTable;
}

export function assetLibrary(options: Pick<VendorOptions, "now" | "tasks">): AssetLibrary {
  return { groups: groupTable(() => options.now()), assets: assetTable(options) };
}
