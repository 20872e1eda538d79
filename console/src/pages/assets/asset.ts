import { hooks, type Schemas } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

/** Links come with the own assets, and users with those of all. */
export type Asset = Schemas["OwnAsset"] & Partial<Schemas["ListedAsset"]>;
export type AssetGroup = Schemas["ListedAssetGroup"];

export const STATES = ["pending", "active", "failed"] as const;
export const TYPES = ["image", "video", "audio"] as const;
export const PAGE_SIZE = 50;
/** The groups of the first page, for names and choices. */
const GROUPS_SHOWN = 100;

export const TONES: Record<Asset["state"], Tone> = {
  pending: "info",
  active: "good",
  failed: "bad",
};

export function useGroups(): readonly AssetGroup[] {
  const groups = hooks.useQuery(
    "get",
    "/api/asset/self/group",
    { params: { query: { page_size: GROUPS_SHOWN } } },
    { staleTime: 60_000 },
  );
  return groups.data?.data.items ?? [];
}

/** The page in the address. */
export function pageIn(params: URLSearchParams): number {
  return Math.max(1, Math.floor(Number(params.get("p"))) || 1);
}
