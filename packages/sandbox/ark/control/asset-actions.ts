import { ASSET_TYPES } from "../assets/asset-file.ts";
import { MODERATIONS, type Asset } from "../assets/asset-table.ts";
import { assetBody } from "../assets/bodies.ts";
import { GROUP_TYPES, type AssetGroup } from "../assets/group-table.ts";
import type { AssetLibrary } from "../assets/library.ts";
import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readChoice,
  readObject,
  readText,
  required,
} from "@sluice/sandbox/openai/fields.ts";
import type { VendorOptions } from "@sluice/sandbox/vendor.ts";
import type { Action, Call } from "./call.ts";
import { notFound } from "./error.ts";
import { pageOf, readFilter, sorted, wantedIn } from "./pages.ts";
import { readUrl } from "./read-url.ts";

/** Operations on assets. */
export function assetActions(
  { groups, assets }: AssetLibrary,
  getGroup: (call: Call, name: string) => AssetGroup,
  { files, options }: AssetActionsOptions,
) {
  function getAsset({ body, place }: Call): Asset {
    const id = required(field(body, "Id"), readText(field(body, "Id")));
    const asset = assets.find(id, place);
    if (asset === undefined) throw notFound("asset", id);
    return asset;
  }

  function bodyOf(asset: Asset, { origin }: Call): JsonObject {
    const validSeconds = options.tasks.linkSeconds ?? LINK_SECONDS;
    return assetBody(asset, assets, { files, validSeconds, origin, now: options.now() });
  }

  return {
    CreateAsset(call) {
      const { body, origin } = call;
      const group = getGroup(call, "GroupId");
      const kind = field(body, "AssetType");
      const moderation = readObject(field(body, "Moderation")) ?? {};
      const strategy = field(moderation, "Strategy", "Moderation.Strategy");
      const asset = assets.add({
        group,
        type: required(kind, readChoice(kind, ASSET_TYPES)),
        url: readUrl(body, "URL"),
        name: readText(field(body, "Name"), MAX_NAME) ?? "",
        moderation: readChoice(strategy, MODERATIONS) ?? "Default",
        origin,
      });
      return { Id: asset.id };
    },
    GetAsset: (call) => bodyOf(getAsset(call), call),
    ListAssets(call) {
      const { body, place } = call;
      const filter = readFilter(body);
      const type = readChoice(field(filter, "GroupType", "Filter.GroupType"), GROUP_TYPES);
      const part = readText(field(filter, "Name", "Filter.Name")) ?? "";
      const [isInGroup, hasStatus] = [wantedIn(filter, "GroupIds"), wantedIn(filter, "Statuses")];
      const found = assets
        .list(place)
        .filter(({ requested }) => isInGroup(requested.groupId) && requested.name.includes(part))
        .filter(
          ({ requested }) =>
            type === undefined || groups.find(requested.groupId, place)?.type === type,
        )
        .map((asset) => bodyOf(asset, call))
        .filter((asset) => hasStatus(asset["Status"]));
      return pageOf(sorted(found, body, ["CreateTime", "UpdateTime", "GroupId"]), body, DEEPEST);
    },
    UpdateAsset(call) {
      const asset = getAsset(call);
      const name = field(call.body, "Name");
      assets.rename(asset, required(name, readText(name, MAX_NAME)));
      return { Id: asset.id };
    },
    DeleteAsset(call) {
      assets.remove(getAsset(call));
      return {};
    },
  } satisfies Readonly<Record<string, Action>>;
}

interface AssetActionsOptions {
  readonly files: ResultFiles;
  readonly options: Pick<VendorOptions, "now" | "tasks">;
}

const MAX_NAME = 64;
const DEEPEST = 20_000;
/** Half a day. */
const LINK_SECONDS = 43_200;
