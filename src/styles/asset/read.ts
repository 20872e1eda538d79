import {
  ASSET_TYPES,
  type AssetQuery,
  type AssetStatus,
  type AssetType,
  type GroupKind,
} from "#core/asset.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, objectOf, textOf } from "#lib/values.ts";
import { wrong } from "./actions.ts";

/** Keys are in lower case; the vendor's own names are accepted too. */
const KINDS: ReadonlyMap<string, GroupKind> = new Map([
  ["image", "image"],
  ["aigc", "image"],
  ["identity", "identity"],
  ["livenessface", "identity"],
]);
const STATUSES: ReadonlyMap<string, AssetStatus> = new Map([
  ["pending", "pending"],
  ["processing", "pending"],
  ["active", "active"],
  ["failed", "failed"],
]);
const TYPES: ReadonlyMap<string, AssetType> = new Map(ASSET_TYPES.map((each) => [each, each]));

const USUAL_PAGE = 10;

interface GroupDraft {
  readonly name: string;
  readonly description: string;
  /** Stored in the gateway, even if a vendor could store it. */
  readonly isOwn: boolean;
}

export function readGroup(body: JsonObject): GroupDraft {
  const kind = wordOf(body["GroupType"], "GroupType", KINDS) ?? "image";
  if (kind === "identity") {
    throw wrong("GroupType", "must be image: a verification makes identity groups");
  }
  const library = textOf(body["Library"])?.toLowerCase() ?? "vendor";
  if (library !== "own" && library !== "vendor") {
    throw wrong("Library", "must be vendor or own");
  }
  return {
    name: textIn(body, "Name"),
    description: textIn(body, "Description"),
    isOwn: library === "own",
  };
}

interface AssetDraft {
  readonly groupId: string;
  readonly url: string;
  readonly type: AssetType;
  readonly name: string;
}

export function readAsset(body: JsonObject): AssetDraft {
  const type = wordOf(body["AssetType"], "AssetType", TYPES);
  if (type === undefined) throw wrong("AssetType", "is required");
  return {
    groupId: textIn(body, "GroupId"),
    url: textIn(body, "URL"),
    type,
    name: textIn(body, "Name"),
  };
}

interface PageQuery extends AssetQuery {
  /** Starts at 1. */
  readonly page: number;
}

export function readPage(body: JsonObject, userId: number): PageQuery {
  const filter = objectOf(body["Filter"]) ?? {};
  const page = integerOf(body["PageNumber"]) ?? 1;
  const limit = integerOf(body["PageSize"]) ?? USUAL_PAGE;
  const groupIds = listOf(filter["GroupIds"]).flatMap((each) => textOf(each) ?? []);
  const statuses = listOf(filter["Statuses"]).flatMap(
    (each, at) => wordOf(each, `Filter.Statuses[${at}]`, STATUSES) ?? [],
  );
  return {
    userId,
    page,
    skip: (page - 1) * limit,
    limit,
    ...defined({
      groupIds: groupIds.length === 0 ? undefined : groupIds,
      statuses: statuses.length === 0 ? undefined : statuses,
      groupKind: wordOf(filter["GroupType"], "Filter.GroupType", KINDS),
      name: textIn(filter, "Name") || undefined,
    }),
  };
}

export function textIn(body: JsonObject, name: string): string {
  return textOf(body[name]) ?? "";
}

function wordOf<T>(
  value: Json | undefined,
  param: string,
  words: ReadonlyMap<string, T>,
): T | undefined {
  const said = textOf(value);
  if (said === undefined || said === "") return undefined;
  const word = words.get(said.toLowerCase());
  if (word === undefined) {
    throw wrong(param, `must be one of ${[...new Set(words.values())].join(", ")}`);
  }
  return word;
}
